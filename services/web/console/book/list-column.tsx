// The lists of a book beside one another: which act, how large they are, and a new one that begins as a draft.

import { useSignal } from '@preact/signals';
import { usePage } from '../frame/page';
import { Button, Dialog, Field, Glyph, Said } from '../frame/parts';
import { clock } from '../frame/time';
import { words } from '../frame/words';
import type { Shelf } from './shelf';

export function ListColumn({ shelf, mayEdit }: { shelf: Shelf; mayEdit: boolean }) {
  const w = words.value;
  const page = usePage();
  const dropping = useSignal<string | undefined>(undefined);
  const version = shelf.version.value;
  const doomed = shelf.lists.value?.find(({ name }) => name === dropping.value);
  return (
    <nav class="lists" aria-label={w.book.lists}>
      <p class="dim">{version ? `${w.book.version(version.number)} · ${page.who(version.author)} · ${clock(version.at_ms, Date.now(), w.lang)}` : w.book.noVersion}</p>
      <ul>
        {shelf.lists.value?.map((list) => (
          <li key={list.name} class={list.name === shelf.chosen.value ? 'is-chosen' : ''}>
            <button type="button" aria-current={list.name === shelf.chosen.value} onClick={() => (shelf.chosen.value = list.name)}>
              <Said>{list.name}</Said>
              <i class={`tag is-mode-${list.mode}`}>{w.book.modes[list.mode]}</i>
              <small>{w.book.entries(list.entries)}</small>
              {list.comment && <small class="dim">{list.comment}</small>}
            </button>
            {mayEdit && (
              <Button onClick={() => (dropping.value = list.name)} label={`${w.book.drop} ${list.name}`}>
                <Glyph name="close" />
              </Button>
            )}
          </li>
        ))}
      </ul>
      {mayEdit && <NewList shelf={shelf} />}
      {doomed && (
        <Dialog title={w.book.drop} onClose={() => (dropping.value = undefined)}>
          <p>{w.book.dropSure(doomed.name, doomed.entries)}</p>
          <footer class="acts">
            <Button onClick={() => (dropping.value = undefined)}>{w.cancel}</Button>
            <Button
              tone="bad"
              onClick={() => {
                dropping.value = undefined;
                void shelf.dropList(doomed.name);
              }}
            >
              {w.book.drop}
            </Button>
          </footer>
        </Dialog>
      )}
    </nav>
  );
}

function NewList({ shelf }: { shelf: Shelf }) {
  const w = words.value;
  const name = useSignal('');
  const go = async (event: Event) => {
    event.preventDefault();
    const said = name.value.trim();
    if (said === '' || !(await shelf.putList(said, 'draft'))) return;
    name.value = '';
    shelf.chosen.value = said;
  };
  return (
    <form class="form" onSubmit={(event) => void go(event)}>
      <Field label={w.book.newList} wide>
        <input type="text" maxLength={64} placeholder={w.book.listName} value={name.value} spellcheck={false} onInput={(event) => (name.value = event.currentTarget.value)} />
      </Field>
      <button type="submit" class="button is-plain" disabled={name.value.trim() === ''}>
        {w.book.create}
      </button>
    </form>
  );
}
