// The book that is looked at: its lists, its newest version as it was seen, and edits that are made only on what was seen. How it is
// shown is kept out.

import { signal } from '@preact/signals';
import type { Api, Based, EditList, Scope } from '../api/api';
import type { Answer, Refusal } from '../api/client';
import type { Edited, Listed, ListMode, Lists, Stamp } from '../api/shapes';
import type { Notes } from '../frame/notes';
import type { Words } from '../frame/words';
import { read } from './report';

/** An edit that somebody was faster than, and how to make it all the same. */
export interface Stale {
  seen: number;
  newest: Stamp;
  again: () => Promise<unknown>;
}
/** An edit with doubts, and how to insist. */
export interface Doubtful {
  refusal: Refusal;
  force: () => Promise<unknown>;
}

export class Shelf {
  readonly lists = signal<readonly Listed[] | undefined>(undefined);
  readonly version = signal<Stamp | undefined>(undefined);
  readonly chosen = signal<string | undefined>(undefined);
  readonly stale = signal<Stale | undefined>(undefined);
  readonly doubtful = signal<Doubtful | undefined>(undefined);
  readonly trouble = signal('');
  /** Something was asked and is not answered: 65,000 entries that come into force take seconds. */
  readonly isBusy = signal(false);
  /** Rises when entries may be others. */
  readonly edition = signal(0);

  constructor(
    readonly scope: Scope,
    private readonly api: Api,
    private readonly notes: Notes,
    private readonly words: () => Words,
  ) {}

  async load(): Promise<void> {
    const answer = await this.api.lists(this.scope);
    if (answer.ok) this.show(answer.value);
    else this.trouble.value = this.words().refused(answer.refusal);
  }

  get list(): Listed | undefined {
    return this.lists.value?.find(({ name }) => name === this.chosen.value);
  }

  putList(name: string, mode: ListMode, comment = '', base = this.base()): Promise<boolean> {
    const again = (base: Based) => this.putList(name, mode, comment, base);
    return this.done(this.api.putList(this.scope, name, { mode, comment }, base), again);
  }

  dropList(name: string, base = this.base()): Promise<boolean> {
    return this.done(this.api.dropList(this.scope, name, base), (base) => this.dropList(name, base));
  }

  rollback(to: number, reason: string, base = this.base()): Promise<boolean> {
    const asked = this.api.rollback(this.scope, to, { ...base, reason });
    return this.done(asked, (base) => this.rollback(to, reason, base));
  }

  async edit(list: string, edit: EditList, base = this.base()): Promise<boolean> {
    this.isBusy.value = true;
    const answer = await this.api.edit(this.scope, list, { ...edit, ...base });
    this.isBusy.value = false;
    if (!answer.ok && answer.refusal.code === 'needs_force') {
      const force = () => this.edit(list, { ...edit, force: true });
      this.doubtful.value = { refusal: answer.refusal, force };
      return false;
    }
    this.doubtful.value = undefined;
    // By hand some doubts stop nobody, and are told all the same.
    const { entries, doubts } = answer.ok ? read(answer.value.report) : { entries: 0, doubts: 0 };
    if (doubts > 0 && !edit.force) this.notes.say(this.words().import.doubtful(entries, doubts));
    return this.done(Promise.resolve(stamped(answer)), (base) => this.edit(list, edit, base));
  }

  /** What a finished import, or anything else that made a version, means here. */
  async made(stamp: Stamp | undefined): Promise<void> {
    this.notes.say(stamp ? this.words().done.saved(stamp.number) : this.words().done.same);
    await this.load();
    this.edition.value += 1;
  }

  /** Nothing is lost: the edit that came second may be made on what is there now. */
  missed(refusal: Refusal, again: (base: Based) => Promise<unknown>): boolean {
    const { newest } = refusal;
    if (!newest) return false;
    const seen = this.version.peek()?.number ?? 0;
    this.stale.value = { seen, newest, again: () => again({ base_version: newest.number }) };
    return true;
  }

  base(): Based {
    const version = this.version.peek();
    return version ? { base_version: version.number } : {};
  }

  private async done(asked: Promise<Answer<Stamp | undefined>>, again: (base: Based) => Promise<unknown>): Promise<boolean> {
    this.isBusy.value = true;
    const answer = await asked;
    this.isBusy.value = false;
    if (answer.ok) await this.made(answer.value);
    else if (!this.missed(answer.refusal, again)) this.notes.say(this.words().refused(answer.refusal), 'no');
    return answer.ok;
  }

  private show({ lists, version }: Lists): void {
    this.trouble.value = '';
    this.lists.value = lists;
    this.version.value = version;
    const isThere = lists.some(({ name }) => name === this.chosen.peek());
    if (!isThere) this.chosen.value = lists[0]?.name;
  }
}

function stamped(answer: Answer<Edited>): Answer<Stamp | undefined> {
  return answer.ok ? { ok: true, value: answer.value.version } : answer;
}
