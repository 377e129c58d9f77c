// What was taken back lately, so that it does not come again out of a history; pure, time is an argument.

import { Remembered } from './recent.js';

const RECALLED_MAX = 2_000;
const KEEP_MS = 60_000;

export class Recalls {
  #ids = new Remembered(RECALLED_MAX, KEEP_MS);
  #purges = new Remembered(RECALLED_MAX, KEEP_MS);

  /** Takes in a recall; returns which of the messages shown so far it means. */
  add({ ids, user, through }, now) {
    const named = new Set(Array.isArray(ids) ? ids : []);
    for (const id of named) this.#ids.add(id, now);
    // Without an end that can be read a purge means what was said until it came, and nothing that comes later.
    if (user && placeOf(through)) this.#purges.add(user, now, through);
    return (message) => named.has(message.id) || Boolean(user && message.user?.id === user && isUpTo(message.id, through));
  }

  /** Whether a message that comes now was taken back before. */
  has({ id, user }, now) {
    if (this.#ids.has(id, now)) return true;
    const through = user?.id && this.#purges.get(user.id, now);
    return Boolean(through && placeOf(id) && isUpTo(id, through));
  }
}

/** Whether `id` stands at or before `through` in the river; all does that stands nowhere, or before no end. */
function isUpTo(id, through) {
  const [place, end] = [placeOf(id), placeOf(through)];
  if (!place || !end) return true;
  return place.generation < end.generation || (place.generation === end.generation && place.offset <= end.offset);
}

/** An id names its generation, partition and offset; within a room the order needs no partition. */
function placeOf(id) {
  const found = /^(\d{1,15})-\d{1,10}-(\d{1,15})$/.exec(id ?? '');
  return found ? { generation: Number(found[1]), offset: Number(found[2]) } : undefined;
}
