// What an entry says, by its id: verdicts name entries, people read words. Each is asked once; which list it is on is known from
// where it was found. No book is kept here.

import { type Signal, signal } from '@preact/signals';
import type { Api, Scope } from '../api/api';
import type { Entry } from '../api/shapes';

const IS_ENTRY = /^e[0-9a-f]{16}$/;
/** An entry's neighbours, whose ids differ in the last digit alone. */
const NEIGHBOURS = 16;
/** A moderator meets some hundred entries in a shift. */
const KNOWN_MAX = 2_000;

export class Names {
  private readonly known = new Map<string, Signal<Entry | undefined>>();
  private lists: Promise<Map<string, string>> | undefined;
  private books: Promise<ReadonlyMap<Scope, ReadonlySet<string>>> | undefined;

  constructor(
    private readonly api: Api,
    private readonly room: string,
    private readonly listOf: ReadonlyMap<string, string>,
  ) {}

  /** The entry, as soon as it is known; `list` is where it may stand if it was never found. */
  of(id: string, list?: string): Signal<Entry | undefined> {
    const known = this.known.get(id);
    if (known) return known;
    const name = signal<Entry | undefined>(undefined);
    if (this.known.size < KNOWN_MAX) this.known.set(id, name);
    if (IS_ENTRY.test(id)) void this.ask(id, list).then((entry) => (name.value = entry));
    return name;
  }

  private async ask(id: string, hint: string | undefined): Promise<Entry | undefined> {
    const list = this.listOf.get(id) ?? (await this.allLists()).get(id) ?? hint;
    if (list === undefined) return undefined;
    for (const [scope, lists] of await this.theBooks()) {
      if (!lists.has(list)) continue;
      const found = await this.api.entries(scope, list, { after: id.slice(0, -1), limit: NEIGHBOURS });
      const entry = found.ok ? found.value.entries.find((entry) => entry.id === id) : undefined;
      if (entry) return entry;
    }
    return undefined;
  }

  /** Which lists the book of all rooms and this room's have: entries are found in other rooms too, whose lists are none of these. */
  private theBooks(): Promise<ReadonlyMap<Scope, ReadonlySet<string>>> {
    const book = async (scope: Scope) => {
      const answer = await this.api.lists(scope);
      return [scope, new Set(answer.ok ? answer.value.lists.map(({ name }) => name) : [])] as const;
    };
    // A list may be made at any time, so the answer is for those who ask meanwhile.
    this.books ??= Promise.all([book(undefined), book(this.room)])
      .then((books) => new Map(books))
      .finally(() => (this.books = undefined));
    return this.books;
  }

  /** Where each entry was found last, of all that were ever found. */
  private allLists(): Promise<Map<string, string>> {
    this.lists ??= this.api.statistics().then((answer) => {
      setTimeout(() => (this.lists = undefined), 5_000);
      return new Map(answer.ok ? answer.value.entries.map(({ entry, list }) => [entry, list]) : []);
    });
    return this.lists;
  }
}
