// Which entries of a list are here and which are asked for next: the service tells them page by page, in the order of their ids. Pure.

import type { Entries, Entry } from '../api/shapes';

/** As many as the service tells at a time. */
export const PAGE = 1_000;

export class Pages {
  readonly entries: Entry[] = [];
  private next: string | undefined = '';
  private total = 0;

  /** With a search nobody knows how many fit before all are told. */
  constructor(private readonly isSearch: boolean) {}

  /** Takes the page that was asked for with `after`; any other is late and is passed over. */
  take(after: string, page: Entries): boolean {
    if (after !== this.next) return false;
    this.entries.push(...page.entries);
    this.next = page.next;
    this.total = page.total;
    return true;
  }

  /** Rows to make room for: all of the list, or those found and one that stands for more. */
  get count(): number {
    if (!this.isSearch) return Math.max(this.total, this.entries.length);
    return this.entries.length + (this.hasMore ? 1 : 0);
  }

  get hasMore(): boolean {
    return this.next !== undefined;
  }

  /** The entry so far from this one, of those that are here; the first where none is chosen. */
  step(id: string | undefined, by: 1 | -1): Entry | undefined {
    const at = this.entries.findIndex((entry) => entry.id === id);
    if (at < 0) return this.entries[0];
    return this.entries[Math.max(0, Math.min(this.entries.length - 1, at + by))];
  }

  /** What to ask for so that row `last` will be there; nothing if it is. */
  wants(last: number): string | undefined {
    return last >= this.entries.length ? this.next : undefined;
  }
}
