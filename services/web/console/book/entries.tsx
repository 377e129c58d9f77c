// The entries of a list: tens of thousands of them, searched by the service, drawn as far as they are seen; one of them from near.

import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { Entry, Listed } from '../api/shapes';
import type { Act } from '../frame/keys';
import { usePage } from '../frame/page';
import { Button, Said } from '../frame/parts';
import { Rows } from '../frame/rows';
import { save } from '../frame/save';
import { words } from '../frame/words';
import type { Names } from '../live/names';
import { Editor, fresh } from './editor';
import type { Pages } from './pages';
import type { Shelf } from './shelf';
import { usePages } from './use-pages';

const ROW = 34;

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
      if (act === 'down' || act === 'up') chosen.value = pages.step(chosen.value?.id, act === 'down' ? 1 : -1) ?? chosen.value;
    };
    return () => (page.onAct = undefined);
  });
  // What was edited is done, at once or on a second try.
  const edition = shelf.edition.value;
  useEffect(() => {
    chosen.value = undefined;
  }, [edition]);
  const { value } = chosen;
  return (
    <div class={value ? 'entries is-open' : 'entries'}>
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
        {pages.count > 0 && <EntryRows pages={pages} label={list.name} chosen={value?.id} onReach={reach} onChoose={(entry) => (chosen.value = entry)} />}
      </section>
      <aside class="entries-near" aria-label={w.book.tabs.entries}>
        {value && <Editor key={value.id ?? 'new'} entry={value} shelf={shelf} list={list.name} mayEdit={mayEdit} names={names} onLeave={() => (chosen.value = undefined)} />}
        {!value && <p class="hint">{w.book.chooseEntry}</p>}
      </aside>
    </div>
  );
}

interface Shown {
  pages: Pages;
  label: string;
  chosen: string | undefined;
  onReach: (last: number) => void;
  onChoose: (entry: Entry) => void;
}

function EntryRows({ pages, label, chosen, onReach, onChoose }: Shown) {
  return (
    <Rows
      class="is-entries"
      count={pages.count}
      height={ROW}
      keyOf={(index) => pages.entries[index]?.id ?? `row ${index}`}
      label={label}
      chosen={pages.entries.findIndex(({ id }) => id === chosen)}
      activeId={chosen && `entry-${chosen}`}
      onSeen={(_, last) => onReach(last)}
      row={(index) => {
        const entry = pages.entries[index];
        if (!entry) return <div class="entry is-coming" role="option" aria-selected={false}>…</div>;
        return <EntryRow entry={entry} isChosen={entry.id === chosen} onChoose={() => onChoose(entry)} />;
      }}
    />
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
