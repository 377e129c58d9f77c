// The word lists: which book, which list, how far it is on its way into force, and its entries, import, trial and versions.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ListMode } from '../api/shapes';
import { type Open, usePage } from '../frame/page';
import { Button, Segments } from '../frame/parts';
import { words } from '../frame/words';
import { EntriesView } from './entries';
import { ImportView } from './import';
import { ListColumn } from './list-column';
import { Shelf } from './shelf';
import { StaleDialog } from './stale';
import { TryView } from './try';
import { VersionsView } from './versions';

const TABS = ['entries', 'import', 'try', 'versions'] as const;
export type Tab = (typeof TABS)[number];

export function Book({ open }: { open: Open }) {
  const page = usePage();
  const w = words.value;
  const where = useSignal<'everywhere' | 'here'>('everywhere');
  const tab = useSignal<Tab>('entries');
  const scope = where.value === 'here' ? open.room.name : undefined;
  const shelf = useMemo(() => new Shelf(scope, page.api, page.notes, () => words.peek()), [scope]);
  useEffect(() => void shelf.load(), [shelf]);
  useEffect(() => {
    const wanted = page.wanted.value;
    if (!wanted || shelf.lists.value === undefined) return;
    const isHere = shelf.lists.value.some(({ name }) => name === wanted.list);
    if (isHere) shelf.chosen.value = wanted.list;
    else if (where.peek() === 'everywhere') where.value = 'here';
  }, [page.wanted.value, shelf.lists.value]);

  const list = shelf.list;
  const mayEdit = scope !== undefined || page.isAdmin.value;
  return (
    <div class="book">
      <aside class="book-side">
        <Segments label={w.book.scope} options={['everywhere', 'here']} names={{ everywhere: w.book.everywhere, here: open.room.name }} value={where.value} onChange={(to) => (where.value = to)} />
        <ListColumn shelf={shelf} mayEdit={mayEdit} />
      </aside>
      <div class="book-main">
        {list && <Stages mode={list.mode} isTrying={tab.value === 'try'} mayEdit={mayEdit && !shelf.isBusy.value} onTry={() => (tab.value = 'try')} onMode={(mode) => void shelf.putList(list.name, mode, list.comment)} />}
        {shelf.isBusy.value && <p class="busy" role="status">{w.saving}</p>}
        <Segments label={w.screens.book ?? ''} options={TABS} names={w.book.tabs} value={tab.value} onChange={(to) => (tab.value = to)} />
        {tab.value === 'versions' && <VersionsView shelf={shelf} mayEdit={mayEdit} />}
        {tab.value !== 'versions' && !list && <p class="hint">{shelf.trouble.value || (shelf.lists.value ? w.book.chooseList : w.load)}</p>}
        {tab.value === 'entries' && list && <EntriesView key={list.name} shelf={shelf} list={list} mayEdit={mayEdit} names={open.names} />}
        {tab.value === 'import' && list && <ImportView key={list.name} shelf={shelf} list={list} names={open.names} />}
        {tab.value === 'try' && list && <TryView key={list.name} shelf={shelf} list={list} open={open} />}
      </div>
      {shelf.stale.value && <StaleDialog shelf={shelf} stale={shelf.stale.value} />}
    </div>
  );
}

interface Way {
  mode: ListMode;
  isTrying: boolean;
  mayEdit: boolean;
  onTry: () => void;
  onMode: (mode: ListMode) => void;
}

/** A list's way into force: each step but the trial is a version that can be gone back on. */
function Stages({ mode, isTrying, mayEdit, onTry, onMode }: Way) {
  const w = words.value;
  const stages = ['draft', 'try', 'observe', 'enforce'] as const;
  return (
    <ol class="stages">
      {stages.map((stage) => {
        const isHere = stage === mode;
        const go = () => (stage === 'try' ? onTry() : onMode(stage));
        return (
          <li key={stage} class={isHere ? `is-here is-${stage}` : stage === 'try' && isTrying ? 'is-seen' : ''}>
            <Button onClick={go} disabled={isHere || (stage !== 'try' && !mayEdit)} pressed={isHere}>
              {w.book.stages[stage]}
            </Button>
            <small>{w.book.stageNote[stage]}</small>
          </li>
        );
      })}
    </ol>
  );
}
