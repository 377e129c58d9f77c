// What was said and is not answered yet: waits for a line, goes out once on each, ends with an answer or its age. Pure; time is an argument.

import type { Style } from './types.js';

/** The hall lets eight of a viewer's messages wait while one is under way. */
const UNSENT_MAX = 8;

/** Younger than the judge's memory of a `client_id` (60 s), so that what went out twice is shown once. */
export const UNSENT_MS_MAX = 45_000;
export const UNSENT_MS = 30_000;

/** The door answers within 5 s, or the hall says `unavailable`; an answer that takes longer is lost. */
const ANSWER_MS = 10_000;

/** What a door wants that only says `unavailable`. */
const AGAIN_MS = 1_500;

export interface Unsent {
  clientId: string;
  text: string;
  style: Style;
  since: number;
}

interface Kept extends Unsent {
  /** Not again before then; `Infinity` while there is no need to. */
  readyAt: number;
  /** Was on a line at all. */
  wasOut: boolean;
}

export class Outbox {
  #kept = new Map<string, Kept>();

  constructor(readonly unsentMs = UNSENT_MS) {}

  get size(): number {
    return this.#kept.size;
  }

  /** False when too many wait. */
  add(unsent: Unsent): boolean {
    if (this.#kept.size >= UNSENT_MAX) return false;
    this.#kept.set(unsent.clientId, { ...unsent, readyAt: unsent.since, wasOut: false });
    return true;
  }

  /** A new line: what is not answered goes out again, with the `client_id` that it had. */
  resume(now: number): void {
    for (const one of this.#kept.values()) one.readyAt = now;
  }

  /** What goes out now, in the order in which it was said. */
  due(now: number): Unsent[] {
    const due = [...this.#kept.values()].filter(({ readyAt }) => readyAt <= now);
    for (const one of due) Object.assign(one, { wasOut: true, readyAt: now + ANSWER_MS });
    return due;
  }

  /** The door's answer; true when it ends the matter. `unavailable` does not: nobody knows, so the same is asked again. */
  answer(clientId: string, isUnknown: boolean, retryAfterMs: number | undefined, now: number): boolean {
    const one = this.#kept.get(clientId);
    if (!one) return false;
    const readyAt = now + (retryAfterMs ?? AGAIN_MS);
    if (isUnknown && readyAt < one.since + this.unsentMs) {
      one.readyAt = readyAt;
      return false;
    }
    return this.#kept.delete(clientId);
  }

  /** What is too old, and the word for it: `expired` never left, `unknown` did. */
  old(now: number): { clientId: string; code: string }[] {
    return this.#end(({ since }) => now - since >= this.unsentMs, 'expired');
  }

  /** Ends all of it. */
  close(code: string): { clientId: string; code: string }[] {
    return this.#end(() => true, code);
  }

  #end(isOver: (one: Kept) => boolean, code: string): { clientId: string; code: string }[] {
    const over = [...this.#kept.values()].filter(isOver);
    for (const { clientId } of over) this.#kept.delete(clientId);
    return over.map(({ clientId, wasOut }) => ({ clientId, code: wasOut ? 'unknown' : code }));
  }
}
