// One entry from near, as a form; new, or one that is there.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ACTIONS, BOUNDARIES, type Entry, KINDS } from '../api/shapes';
import { usePage } from '../frame/page';
import { Button, Check, Field, Glyph, Select } from '../frame/parts';
import { clock } from '../frame/time';
import { words } from '../frame/words';
import type { Names } from '../live/names';
import { read } from './report';
import { ReportTable } from './report-table';
import type { Shelf } from './shelf';

/** An entry with all at its default, as the service has it. */
export function fresh(): Entry {
  return {
    kind: 'word', text: '', category: 'other', severity: 2, action: 'policy', mandatory: false, boundary: 'auto',
    numeric: false, pinyin: false, split: false, starts_ms: 0, expires_ms: 0, broadcast: false, within: 0, private: false,
  };
}

interface Near {
  entry: Entry;
  shelf: Shelf;
  list: string;
  mayEdit: boolean;
  names: Names;
  onLeave: () => void;
}

export function Editor({ entry, shelf, list, mayEdit, names, onLeave }: Near) {
  const w = words.value;
  const page = usePage();
  const draft = useSignal<Entry>({ ...entry });
  const reason = useSignal('');
  const isNew = entry.id === undefined;
  const change = (part: Partial<Entry>) => (draft.value = { ...draft.value, ...part });
  const said = () => ({ reason: reason.value.trim() });
  const save = () => void shelf.edit(list, isNew ? { add: [draft.value], ...said() } : { change: [sent(draft.value)], ...said() });
  const remove = () => entry.id !== undefined && void shelf.edit(list, { remove: [entry.id], ...said() });
  const doubtful = shelf.doubtful.value;
  const { report } = doubtful?.refusal ?? {};
  const submit = (event: Event) => {
    event.preventDefault();
    save();
  };
  return (
    <form class="editor" onSubmit={submit}>
      <header>
        <h2>{isNew ? w.book.add : w.book.tabs.entries}</h2>
        <Button onClick={onLeave} label={w.close}>
          <Glyph name="close" />
        </Button>
      </header>
      <fieldset class="form" disabled={!mayEdit}>
        <Fields entry={draft.value} isNew={isNew} onChange={change} />
        <Text label={w.book.reason} value={reason.value} onChange={(text) => (reason.value = text)} wide />
      </fieldset>
      {entry.author && <p class="dim">{w.book.author(page.who(entry.author), clock(entry.added_ms ?? 0, Date.now(), w.lang))}</p>}
      {report && <ReportTable rows={read(report).rows} rest={read(report).rest} names={names} list={list} />}
      {mayEdit && (
        <footer class="acts">
          {!isNew && (
            <Button tone="bad" onClick={remove}>
              {w.book.remove}
            </Button>
          )}
          {doubtful && (
            <Button tone="bad" onClick={() => void doubtful.force()}>
              {w.book.force}
            </Button>
          )}
          <button type="submit" class="button is-main" disabled={shelf.isBusy.value || (draft.value.text ?? '').trim() === ''}>
            {w.book.save}
          </button>
        </footer>
      )}
    </form>
  );
}

/** What an entry says of itself. */
function Fields({ entry, isNew, onChange }: { entry: Entry; isNew: boolean; onChange: (part: Partial<Entry>) => void }) {
  const w = words.value;
  const name = (field: keyof Entry) => w.book.fields[field] ?? field;
  return (
    <>
      <Text label={name('text')} value={entry.text ?? ''} onChange={(text) => onChange({ text })} isFirst={isNew} wide />
      <Select label={name('kind')} options={KINDS} names={w.book.kinds} value={entry.kind} onChange={(kind) => onChange({ kind })} />
      <Select label={name('action')} options={ACTIONS} names={w.book.actions} value={entry.action} onChange={(action) => onChange({ action })} />
      <Text label={name('category')} value={entry.category} onChange={(category) => onChange({ category })} />
      <Select label={name('severity')} options={['1', '2', '3', '4']} names={{}} value={String(entry.severity)} onChange={(n) => onChange({ severity: Number(n) })} />
      <Select label={name('boundary')} options={BOUNDARIES} names={w.book.boundaries} value={entry.boundary} onChange={(boundary) => onChange({ boundary })} />
      <When label={name('expires_ms')} value={entry.expires_ms} onChange={(expires_ms) => onChange({ expires_ms })} />
      {(['mandatory', 'numeric', 'pinyin', 'split', 'broadcast', 'private'] as const).map((field) => (
        <Check key={field} label={name(field)} checked={entry[field]} onChange={(is) => onChange({ [field]: is })} />
      ))}
      <Text label={name('comment')} value={entry.comment ?? ''} onChange={(comment) => onChange({ comment })} wide />
    </>
  );
}

/** As it is sent: what only the service writes is left out. */
function sent({ author, added_ms, list, ...entry }: Entry): Entry {
  return entry;
}

interface Line {
  label: string;
  value: string;
  onChange: (text: string) => void;
  wide?: boolean;
  isFirst?: boolean;
}

function Text({ label, value, onChange, wide = false, isFirst = false }: Line) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst) box.current?.focus();
  }, []);
  return (
    <Field label={label} wide={wide}>
      <input ref={box} type="text" dir="auto" maxLength={500} value={value} onInput={(event) => onChange(event.currentTarget.value)} />
    </Field>
  );
}

/** A moment in the reader's own time; none is never. */
function When({ label, value, onChange }: { label: string; value: number; onChange: (ms: number) => void }) {
  const at = new Date(value - new Date(value).getTimezoneOffset() * 60_000);
  const change = (text: string) => onChange(text === '' ? 0 : new Date(text).getTime());
  return (
    <Field label={label}>
      <input type="datetime-local" value={value > 0 ? at.toISOString().slice(0, 16) : ''} onChange={(event) => change(event.currentTarget.value)} />
    </Field>
  );
}
