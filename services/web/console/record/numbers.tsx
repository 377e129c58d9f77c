// What each entry found, and what moderators thought of it: bad entries stand out.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { EntryNumbers } from '../api/shapes';
import { type Open, usePage } from '../frame/page';
import { Button, Said, Segments } from '../frame/parts';
import { clock } from '../frame/time';
import { words } from '../frame/words';
import type { Names } from '../live/names';
import { isBad, ranked, type Sort } from './rank';

/** Asked anew as long as somebody looks. */
const EVERY_MS = 5_000;
/** Rows on the screen; who wants more searches the list. */
const SHOWN_MAX = 200;

export function Numbers({ open }: { open: Open }) {
  const w = words.value;
  const { api, notes } = usePage();
  const known = useSignal<EntryNumbers[] | undefined>(undefined);
  const sort = useSignal<Sort>('bad');
  useEffect(() => {
    const load = async () => {
      const answer = await api.statistics();
      if (answer.ok) known.value = answer.value.entries;
      else if (known.peek() === undefined) notes.say(w.refused(answer.refusal), 'no');
    };
    void load();
    const timer = setInterval(() => void load(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const entries = ranked(known.value ?? [], sort.value).slice(0, SHOWN_MAX);
  return (
    <div class="numbers">
      <header>
        <p class="dim">{w.numbers.lead}</p>
        <Segments label={w.screens.numbers ?? ''} options={['bad', 'hits', 'last']} names={w.numbers.sort} value={sort.value} onChange={(to) => (sort.value = to)} />
      </header>
      {known.value === undefined && <p class="hint">{w.load}</p>}
      {known.value?.length === 0 && <p class="hint">{w.numbers.none}</p>}
      {entries.length > 0 && (
        <div class="table-box" tabIndex={0} role="region" aria-label={w.screens.numbers}>
          <table class="table">
            <thead>
              <tr>
                {[w.numbers.entry, w.numbers.list, w.numbers.hits, w.numbers.observed, w.numbers.held, w.numbers.rate, w.numbers.last].map((name, at) => (
                  <th key={name} scope="col" class={at > 1 && at < 5 ? 'number' : ''}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <Row key={entry.entry} entry={entry} names={open.names} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function Row({ entry, names }: { entry: EntryNumbers; names: Names }) {
  const w = words.value;
  const page = usePage();
  const text = names.of(entry.entry).value?.text;
  const decided = entry.approved + entry.rejected;
  const open = () => {
    page.wanted.value = { list: entry.list, find: text ?? '' };
    page.screen.value = 'book';
  };
  return (
    <tr class={isBad(entry) ? 'is-bad' : ''}>
      <th scope="row">
        <Button onClick={open} label={`${w.numbers.open}: ${text ?? entry.entry}`}>
          <Said>{text ?? entry.entry}</Said>
        </Button>
        {isBad(entry) && <i class="tag is-blocked">{w.numbers.bad}</i>}
      </th>
      <td>
        <Said>{entry.list}</Said> <span class="dim">{entry.category}</span>
      </td>
      <td class="number">{w.number(entry.hits)}</td>
      <td class="number">{w.number(entry.observed)}</td>
      <td class="number">{w.number(entry.held)}</td>
      <td>
        {entry.approve_rate === undefined ? (
          <span class="dim">–</span>
        ) : (
          <span class="rate">
            <meter min={0} max={1} value={entry.approve_rate} aria-label={w.numbers.rate} />
            {Math.round(entry.approve_rate * 100)} % <span class="dim">{w.numbers.decided(entry.approved, decided)}</span>
          </span>
        )}
      </td>
      <td>{clock(entry.last_ms, Date.now(), w.lang)}</td>
    </tr>
  );
}
