// What differs between two versions, on the screen.

import type { Diff } from '../api/shapes';
import { Said } from '../frame/parts';
import { words } from '../frame/words';
import { type DiffRow, type Field, middle, rows } from './diff';

/** A screen to read from; the rest is counted. */
const SHOWN_MAX = 400;

export function DiffView({ from, to, diff }: { from: number; to: number; diff: Diff }) {
  const w = words.value;
  const all = rows(diff);
  return (
    <div class="diff">
      <h3>{w.versions.between(from, to)}</h3>
      <p>
        <span class="plus">+{w.number(diff.tally.added)}</span> <span class="minus">−{w.number(diff.tally.removed)}</span> <span class="swap">~{w.number(diff.tally.changed)}</span>
      </p>
      {all.length === 0 && <p class="hint">{w.versions.same}</p>}
      <ul>
        {all.slice(0, SHOWN_MAX).map((row, at) => (
          <Row key={at} row={row} />
        ))}
      </ul>
      {all.length > SHOWN_MAX && <p class="dim">{w.versions.rest(all.length - SHOWN_MAX)}</p>}
    </div>
  );
}

function Row({ row }: { row: DiffRow }) {
  const w = words.value;
  switch (row.kind) {
    case 'list':
      return <li class="is-list">{w.versions.lists}: <Said>{row.text}</Said></li>;
    case 'policy':
      return <li class="is-list">{w.versions.policy}</li>;
    case 'rest':
      return <li class="dim">{w.versions.rest(row.count)}</li>;
    case 'changed':
      return (
        <li class="is-changed">
          <b aria-label={w.versions.changed}>~</b> <Said>{row.entry.text ?? w.book.privateText}</Said> <span class="dim">{row.entry.list}</span>
          {row.fields.map((field) => (
            <Changed key={field.name} field={field} />
          ))}
        </li>
      );
    default:
      return (
        <li class={`is-${row.kind}`}>
          <b aria-label={w.versions[row.kind]}>{row.kind === 'added' ? '+' : '−'}</b> <Said>{row.entry.text ?? w.book.privateText}</Said>{' '}
          <span class="dim">
            {row.entry.list} · {row.entry.category} · {w.book.actions[row.entry.action]}
          </span>
        </li>
      );
  }
}

function Changed({ field }: { field: Field }) {
  const w = words.value;
  const { head, before, after, tail } = middle(field.before, field.after);
  return (
    <p class="field-change">
      <span class="dim">{w.book.fields[field.name] ?? field.name}: </span>
      <Said>{head}</Said>
      {before && <del><Said>{before}</Said></del>}
      {after && <ins><Said>{after}</Said></ins>}
      <Said>{tail}</Said>
    </p>
  );
}
