// What was taken back lately, so that it does not come again out of a history. Pure; time is an argument.

import { compare } from './place.js';
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
    if (user && through) this.#purges.set(user, through, now);
    return (message) =>
      named.has(message.id) || (user !== undefined && message.user?.id === user && !(compare(message.id, through) > 0));
  }

  /** Whether a message that comes now was taken back before. */
  has({ id, user }: Meant, now: number): boolean {
    const through = user && this.#purges.get(user.id, now);
    return this.#ids.get(id, now) === true || compare(id, through) <= 0;
  }
}
