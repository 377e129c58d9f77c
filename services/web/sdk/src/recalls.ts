// What was taken back lately, so that it does not come again out of a history. Pure; time is an argument.

import { Recent } from './recent.js';
import type { Message, Recall } from './types.js';

/** A danmaku that is still on its way elsewhere must not appear afterwards. */
const KEEP_MS = 60_000;

/** Ten recalls of the 200 ids that one may have. */
const RECALLED_MAX = 2_000;

type Meant = Pick<Message, 'id' | 'user'>;

export class Recalls {
  #ids = new Recent<true>(RECALLED_MAX, KEEP_MS);
  #purges = new Recent<string>(RECALLED_MAX, KEEP_MS);

  /** Takes in a recall; the answer tells which of the messages so far it means. */
  add({ ids, user, through }: Pick<Recall, 'ids' | 'user' | 'through'>, now: number): (message: Meant) => boolean {
    const named = new Set(ids);
    for (const id of named) this.#ids.set(id, true, now);
    // Without an end that can be read a purge means what was said until it came, and nothing that comes later.
    if (user && through && placeOf(through)) this.#purges.set(user, through, now);
    return (message) => named.has(message.id) || (user !== undefined && message.user?.id === user && isUpTo(message.id, through));
  }

  /** Whether a message that comes now was taken back before. */
  has({ id, user }: Meant, now: number): boolean {
    const through = user && this.#purges.get(user.id, now);
    return this.#ids.get(id, now) === true || Boolean(through && placeOf(id) && isUpTo(id, through));
  }
}

/** Whether `id` stands at or before `through` in the river; all does that stands nowhere, or before no end. */
function isUpTo(id: string, through: string | undefined): boolean {
  const [place, end] = [placeOf(id), placeOf(through)];
  if (!place || !end) return true;
  return place.generation < end.generation || (place.generation === end.generation && place.offset <= end.offset);
}

/** An id names its generation, partition and offset; within a room the order needs no partition. */
function placeOf(id: string | undefined): { generation: number; offset: number } | undefined {
  const found = /^(\d{1,15})-\d{1,10}-(\d{1,15})$/.exec(id ?? '');
  return found ? { generation: Number(found[1]), offset: Number(found[2]) } : undefined;
}
