// The entries of a list: tens of thousands of them, searched by the service, drawn as far as they are seen; one of them from near.

import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Entry, Listed } from '../api/shapes';
import type { Act } from '../frame/keys';
import { usePage } from '../frame/page';
import { Button, Said } from '../frame/parts';
import { Rows } from '../frame/rows';
import { words } from '../frame/words';
import type { Names } from '../live/names';
import { Editor, fresh } from './editor';
import { PAGE, Pages } from './pages';
import type { Shelf } from './shelf';

const ROW = 34;
/** Between two letters of somebody who types. */
const TYPING_MS = 200;

interface View {
  shelf: Shelf;
  list: Listed;
  mayEdit: boolean;
  names: Names;
}

export function EntriesView({ shelf, list, mayEdit, names }: View) {
  const page = usePage();
  const w = words.value;
  const find = useSignal(page.wanted.peek()?.list === list.name ? (page.wanted.peek()?.find ?? '') : '');
  const { pages, reach, trouble } = usePages(shelf, list, find.value);
  const chosen = useSignal<Entry | undefined>(undefined);
  const add = () => (chosen.value = fresh());
  useEffect(() => {
    if (page.wanted.peek()?.list === list.name) page.wanted.value = undefined;
  }, []);
  useLayoutEffect(() => {
    page.onAct = (act: Act) => {
      if (act === 'add' && mayEdit) add();
      if (act === 'leave') chosen.value = undefined;
    };
    return () => (page.onAct = undefined);
  }, []);
  // What was edited is done, at once or on a second try.
  const edition = shelf.edition.value;
  useEffect(() => {
    chosen.value = undefined;
  }, [edition]);
  return (
    <div class={chosen.value ? 'entries is-open' : 'entries'}>
      <section class="entries-list">
        <header>
          <input id="search" type="search" placeholder={w.book.find} aria-label={w.book.find} value={find.value} onInput={(event) => (find.value = event.currentTarget.value)} />
          <span class="dim">{find.value === '' ? w.book.entries(list.entries) : w.book.found(pages.entries.length, pages.hasMore)}</span>
          {mayEdit && (
            <Button act="add" onClick={add}>
              {w.book.add}
            </Button>
          )}
          <ExportButton shelf={shelf} list={list} />
        </header>
        {pages.count === 0 && <p class="hint">{trouble || (pages.hasMore ? w.load : find.value === '' ? w.book.emptyList : w.book.noFound)}</p>}
        {pages.count > 0 && (
          <Rows
            class="is-entries"
            count={pages.count}
            height={ROW}
            keyOf={(index) => pages.entries[index]?.id ?? `row ${index}`}
            label={list.name}
            activeId={chosen.value?.id && `entry-${chosen.value.id}`}
            onSeen={(_, last) => reach(last)}
            row={(index) => {
              const entry = pages.entries[index];
              return entry ? <EntryRow entry={entry} isChosen={entry.id === chosen.value?.id} onChoose={() => (chosen.value = entry)} /> : <div class="entry is-coming" role="option" aria-selected={false}>…</div>;
            }}
          />
        )}
      </section>
      <aside class="entries-near" aria-label={w.book.tabs.entries}>
        {chosen.value ? (
          <Editor key={chosen.value.id ?? 'new'} entry={chosen.value} shelf={shelf} list={list.name} mayEdit={mayEdit} names={names} onLeave={() => (chosen.value = undefined)} />
        ) : (
          <p class="hint">{w.book.chooseEntry}</p>
        )}
      </aside>
    </div>
  );
}

function EntryRow({ entry, isChosen, onChoose }: { entry: Entry; isChosen: boolean; onChoose: () => void }) {
  const w = words.value;
  const isOver = entry.expires_ms > 0 && entry.expires_ms < Date.now();
  return (
    <div id={`entry-${entry.id}`} class={`entry ${isChosen ? 'is-chosen' : ''} ${isOver ? 'is-over' : ''}`} role="option" aria-selected={isChosen} onClick={onChoose}>
      <Said class="text">{entry.text ?? w.book.privateText}</Said>
      {entry.kind !== 'word' && <i class={`tag is-${entry.kind}`}>{w.book.kinds[entry.kind]}</i>}
      {entry.private && <i class="tag">{w.book.private}</i>}
      <span class="dim">{entry.category}</span>
      <span class="severity" title={w.book.fields.severity}>
        {'●'.repeat(entry.severity)}
      </span>
      <span class="action">{w.book.actions[entry.action]}</span>
    </div>
  );
}

function ExportButton({ shelf, list }: { shelf: Shelf; list: Listed }) {
  const { api, notes } = usePage();
  const w = words.value;
  const take = async () => {
    const answer = await api.export(shelf.scope, list.name, 'csv');
    if (answer.ok) save(answer.value, `${list.name}.csv`);
    else notes.say(w.refused(answer.refusal), 'no');
  };
  return <Button onClick={() => void take()}>{w.book.export}</Button>;
}

/** Gives the reader a file. */
export function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has taken it once this turn is over.
  setTimeout(() => URL.revokeObjectURL(link.href));
}

/** The pages that are here, and a way to say how far one looks. */
function usePages(shelf: Shelf, list: Listed, find: string) {
  const { api } = usePage();
  const pages = useRef(new Pages(find !== ''));
  const drawn = useSignal(0);
  const trouble = useSignal('');
  const wanted = useRef(0);
  const isAsking = useRef(false);
  void drawn.value;

  const ask = async (mine: Pages): Promise<void> => {
    const after = mine.wants(wanted.current);
    if (after === undefined || isAsking.current || mine !== pages.current) return;
    isAsking.current = true;
    const answer = await api.entries(shelf.scope, list.name, { find, after, limit: PAGE });
    isAsking.current = false;
    if (mine !== pages.current) return void ask(pages.current);
    trouble.value = answer.ok ? '' : words.peek().refused(answer.refusal);
    if (answer.ok && mine.take(after, answer.value)) drawn.value += 1;
    if (answer.ok) await ask(mine);
  };

  useEffect(() => {
    const begin = () => {
      pages.current = new Pages(find !== '');
      wanted.current = 0;
      void ask(pages.current);
    };
    const timer = setTimeout(begin, find === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [shelf, list.name, find, shelf.edition.value]);

  const reach = (last: number) => {
    wanted.current = last;
    void ask(pages.current);
  };
  return { pages: pages.current, reach, trouble: trouble.value };
}
