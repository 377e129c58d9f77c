// An import's report as a table: line, text, and what is wrong or doubtful about it.

import { Said } from '../frame/parts';
import { words } from '../frame/words';
import type { Names } from '../live/names';
import type { ReportRow } from './report';

interface Told {
  rows: ReportRow[];
  rest: number;
  names: Names;
  /** Where those that are named stand, nearly always. */
  list: string;
}

export function ReportTable({ rows, rest, names, list }: Told) {
  const w = words.value;
  if (rows.length === 0) return null;
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={w.import.what}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col" class="number">
              {w.import.line}
            </th>
            <th scope="col">{w.import.text}</th>
            <th scope="col">{w.import.what}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at} class={`is-${row.tone}`}>
              <td class="number">{row.line ?? ''}</td>
              <td>
                <Said>{row.text}</Said>
              </td>
              <td>
                {row.what !== 'fault' && <i class="tag">{w.import.doubts[row.what]}</i>} {row.with && <With other={row.with} names={names} list={list} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <p class="dim">{w.import.rest(rest)}</p>}
    </div>
  );
}

/** The other one: a line of the file, or an entry by what it says. */
function With({ other, names, list }: { other: string; names: Names; list: string }) {
  return <Said class="dim">{words.value.import.with(names.of(other, list).value?.text ?? other)}</Said>;
}
