// Bringing in a file: it is checked first, its report is read line by line, and then it is brought in or not.

import { useSignal } from '@preact/signals';
import type { Based, Import } from '../api/api';
import { ACTIONS, KINDS, type Listed } from '../api/shapes';
import { usePage } from '../frame/page';
import { Button, Check, Select } from '../frame/parts';
import { words } from '../frame/words';
import type { Names } from '../live/names';
import { faults, read, type ReportRow } from './report';
import { ReportTable } from './report-table';
import type { Shelf } from './shelf';

type Told = { tone: 'clean' | 'doubtful' | 'broken'; head: string; rows: ReportRow[]; rest: number };
const FORMATS = ['txt', 'csv', 'houbb'] as const;

export function ImportView({ shelf, list, names }: { shelf: Shelf; list: Listed; names: Names }) {
  const w = words.value;
  const { api, notes } = usePage();
  const file = useSignal<File | undefined>(undefined);
  const how = useSignal<Import>({ format: 'txt', kind: 'word', category: '', severity: 0, action: 'policy', replace: false, force: false, dry_run: true });
  const told = useSignal<Told | undefined>(undefined);
  const isBusy = useSignal(false);
  const change = (part: Partial<Import>) => {
    how.value = { ...how.value, ...part };
    told.value = undefined;
  };
  const choose = (chosen: File | undefined) => {
    file.value = chosen;
    const end = chosen?.name.replace(/\.gz$/, '').split('.').pop();
    change({ format: end === 'csv' ? 'csv' : how.value.format === 'csv' ? 'txt' : how.value.format });
  };
  const send = async (part: Partial<Import>, base: Based = shelf.base()): Promise<void> => {
    if (!file.value) return;
    isBusy.value = true;
    const answer = await api.import(list.name, file.value, { ...how.value, ...part, ...base, room: shelf.scope });
    isBusy.value = false;
    if (answer.ok && !part.dry_run) {
      told.value = undefined;
      file.value = undefined;
      return shelf.made(answer.value.version);
    }
    const { report } = answer.ok ? answer.value : answer.refusal;
    if (report) {
      const { rows, rest, entries, doubts } = read(report);
      const head = doubts === 0 ? w.import.clean(entries) : w.import.doubtful(entries, doubts);
      told.value = { tone: doubts === 0 ? 'clean' : 'doubtful', head, rows, rest };
    } else if (!answer.ok && answer.refusal.problems.length > 0) {
      const rows = faults(answer.refusal);
      told.value = { tone: 'broken', head: w.import.broken(rows.length), rows, rest: 0 };
    } else if (!answer.ok && !shelf.missed(answer.refusal, (base) => send(part, base))) {
      notes.say(w.refused(answer.refusal), 'no');
    }
  };
  const { tone } = told.value ?? {};
  return (
    <section class="import">
      <Drop name={file.value?.name} onFile={choose} />
      <div class="form">
        <Select label={w.import.format} options={FORMATS} names={w.import.formats} value={how.value.format} onChange={(format) => change({ format })} />
        <Select label={w.book.fields.kind ?? ''} options={KINDS} names={w.book.kinds} value={how.value.kind} onChange={(kind) => change({ kind })} />
        <Select label={w.book.fields.action ?? ''} options={ACTIONS} names={w.book.actions} value={how.value.action} onChange={(action) => change({ action })} />
        <Check label={w.import.replace} checked={how.value.replace} onChange={(replace) => change({ replace })} />
      </div>
      <div class="acts">
        <Button disabled={!file.value || isBusy.value} onClick={() => void send({ dry_run: true })}>
          {w.import.try}
        </Button>
        {tone === 'clean' && (
          <Button tone="main" disabled={isBusy.value} onClick={() => void send({ dry_run: false })}>
            {w.import.go}
          </Button>
        )}
        {tone === 'doubtful' && (
          <Button tone="bad" disabled={isBusy.value} onClick={() => void send({ dry_run: false, force: true })}>
            {w.import.force}
          </Button>
        )}
        {isBusy.value && <span class="dim">{w.load}</span>}
      </div>
      {told.value && (
        <div role="status">
          <p class={`verdict is-${told.value.tone}`}>{told.value.head}</p>
          <ReportTable rows={told.value.rows} rest={told.value.rest} names={names} list={list.name} />
        </div>
      )}
    </section>
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
