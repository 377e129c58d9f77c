// Bringing in a file on the screen: choose, check, read the report line by line, and bring it in or not.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { ACTIONS, KINDS, type Listed } from '../api/shapes';
import { usePage } from '../frame/page';
import { Button, Check, Select } from '../frame/parts';
import { words } from '../frame/words';
import type { Names } from '../live/names';
import { Importing } from './importing';
import { ReportTable } from './report-table';
import type { Shelf } from './shelf';

const FORMATS = ['txt', 'csv', 'houbb'] as const;

export function ImportView({ shelf, list, names }: { shelf: Shelf; list: Listed; names: Names }) {
  const { api, notes } = usePage();
  const importing = useMemo(() => new Importing(shelf, list.name, api, notes, () => words.peek()), [shelf]);
  const told = importing.told.value;
  return (
    <section class="import">
      <Drop name={importing.file.value?.name} onFile={(file) => importing.choose(file)} />
      <How importing={importing} />
      <Steps importing={importing} />
      {told && (
        <div role="status">
          <p class={`verdict is-${told.tone}`}>{told.head}</p>
          <ReportTable rows={told.rows} rest={told.rest} names={names} list={list.name} />
        </div>
      )}
    </section>
  );
}

/** What entries are where the file does not say. */
function How({ importing }: { importing: Importing }) {
  const w = words.value;
  const { format, kind, action, replace } = importing.how.value;
  return (
    <div class="form">
      <Select label={w.import.format} options={FORMATS} names={w.import.formats} value={format} onChange={(format) => importing.change({ format })} />
      <Select label={w.book.fields.kind ?? ''} options={KINDS} names={w.book.kinds} value={kind} onChange={(kind) => importing.change({ kind })} />
      <Select label={w.book.fields.action ?? ''} options={ACTIONS} names={w.book.actions} value={action} onChange={(action) => importing.change({ action })} />
      <Check label={w.import.replace} checked={replace} onChange={(replace) => importing.change({ replace })} />
    </div>
  );
}

/** It is checked first; what has faults goes no further, what has doubts only with force. */
function Steps({ importing }: { importing: Importing }) {
  const w = words.value;
  const isBusy = importing.isBusy.value;
  const tone = importing.told.value?.tone;
  return (
    <div class="acts">
      <Button disabled={!importing.file.value || isBusy} onClick={() => void importing.send({ dry_run: true })}>
        {w.import.try}
      </Button>
      {tone === 'clean' && (
        <Button tone="main" disabled={isBusy} onClick={() => void importing.send({ dry_run: false })}>
          {w.import.go}
        </Button>
      )}
      {tone === 'doubtful' && (
        <Button tone="bad" disabled={isBusy} onClick={() => void importing.send({ dry_run: false, force: true })}>
          {w.import.force}
        </Button>
      )}
      {isBusy && <span class="dim">{w.load}</span>}
    </div>
  );
}

function Drop({ name, onFile }: { name: string | undefined; onFile: (file: File | undefined) => void }) {
  const w = words.value;
  const isOver = useSignal(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    isOver.value = false;
    onFile(event.dataTransfer?.files[0]);
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    isOver.value = true;
  };
  return (
    <label class={isOver.value ? 'drop is-over' : 'drop'} onDragOver={over} onDragLeave={() => (isOver.value = false)} onDrop={drop}>
      <input type="file" accept=".txt,.csv,.gz,text/plain,text/csv" aria-label={w.import.file} onChange={(event) => onFile(event.currentTarget.files?.[0])} />
      <span>{name ?? w.import.choose}</span>
    </label>
  );
}
