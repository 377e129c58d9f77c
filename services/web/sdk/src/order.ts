// Each message once, and a place in the room's log that never moves back. Pure.

import { compare } from './place.js';
import { Recent } from './recent.js';

/** 75 s of history at the judge's 200 messages a second are 15,000. */
const SEEN_MAX = 16_384;

/** A cursor is four numbers; what is much longer is none. */
const CURSOR_CHARS_MAX = 200;

export class Order {
  /** The place up to which everything was read. */
  cursor: string | undefined;
  repeats = 0;
  /** A river that was built anew counts its ids from the start, so an id is told apart by its accept time. */
  #seen = new Recent<number>(SEEN_MAX);

  /** Whether a message is new. */
  take(id: string, at: number): boolean {
    const isNew = this.#seen.get(id) !== at;
    if (isNew) this.#seen.set(id, at);
    else this.repeats += 1;
    return isNew;
  }

  has(id: string): boolean {
    return this.#seen.get(id) !== undefined;
  }

  /**
   * On a resume the hello's cursor is ahead of what is still to be replayed, so it counts only where nothing will be.
   */
  hello(cursor: unknown, recovered: unknown): void {
    if (isCursor(cursor) && (this.cursor === undefined || recovered === false)) this.cursor = cursor;
  }

  /** A frame was read up to here. */
  move(cursor: unknown): void {
    if (isCursor(cursor) && !(compare(cursor, this.cursor) < 0)) this.cursor = cursor;
  }
}

const isCursor = (cursor: unknown): cursor is string =>
  typeof cursor === 'string' && cursor.length > 0 && cursor.length <= CURSOR_CHARS_MAX;
