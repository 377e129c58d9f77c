// Bringing in a file, step by step: chosen, checked, brought in; what was told about it last. How it is shown is kept out.

import { signal } from '@preact/signals';
import type { Api, Based, Import } from '../api/api';
import type { Answer } from '../api/client';
import type { Edited, Report } from '../api/shapes';
import type { Notes } from '../frame/notes';
import type { Words } from '../frame/words';
import { faults, read, type ReportRow } from './report';
import type { Shelf } from './shelf';

export interface Told {
  /** Whether it may be brought in, may be with force, or may not. */
  tone: 'clean' | 'doubtful' | 'broken';
  head: string;
  rows: ReportRow[];
  rest: number;
}

const FIRST: Import = { format: 'txt', kind: 'word', category: '', severity: 0, action: 'policy', replace: false, force: false, dry_run: true };

export class Importing {
  readonly file = signal<File | undefined>(undefined);
  readonly how = signal<Import>(FIRST);
  readonly told = signal<Told | undefined>(undefined);
  readonly isBusy = signal(false);

  constructor(
    private readonly shelf: Shelf,
    private readonly list: string,
    private readonly api: Api,
    private readonly notes: Notes,
    private readonly words: () => Words,
  ) {}

  choose(file: File | undefined): void {
    this.file.value = file;
    const isTable = /\.csv(\.gz)?$/i.test(file?.name ?? '');
    const { format } = this.how.peek();
    this.change({ format: isTable ? 'csv' : format === 'csv' ? 'txt' : format });
  }

  /** What was told before is about another import then. */
  change(part: Partial<Import>): void {
    this.how.value = { ...this.how.peek(), ...part };
    this.told.value = undefined;
  }

  async send(part: Partial<Import>, base: Based = this.shelf.base()): Promise<void> {
    const file = this.file.peek();
    if (!file) return;
    this.isBusy.value = true;
    const answer = await this.api.import(this.list, file, { ...this.how.peek(), ...part, ...base, room: this.shelf.scope });
    this.isBusy.value = false;
    if (answer.ok && !part.dry_run) return this.done(answer.value);
    this.told.value = told(answer, this.words());
    if (this.told.value || answer.ok) return;
    if (!this.shelf.missed(answer.refusal, (base) => this.send(part, base))) this.notes.say(this.words().refused(answer.refusal), 'no');
  }

  private done({ version }: Edited): Promise<void> {
    this.told.value = undefined;
    this.file.value = undefined;
    return this.shelf.made(version);
  }
}

/** What an answer tells of the file; nothing if it is about something else. */
export function told(answer: Answer<{ report: Report }>, words: Words): Told | undefined {
  const { report } = answer.ok ? answer.value : answer.refusal;
  if (report) {
    const { rows, rest, entries, doubts } = read(report);
    if (doubts === 0) return { tone: 'clean', head: words.import.clean(entries), rows, rest };
    return { tone: 'doubtful', head: words.import.doubtful(entries, doubts), rows, rest };
  }
  if (answer.ok || answer.refusal.problems.length === 0) return undefined;
  const rows = faults(answer.refusal);
  return { tone: 'broken', head: words.import.broken(rows.length), rows, rest: 0 };
}
