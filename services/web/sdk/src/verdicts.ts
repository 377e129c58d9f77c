// What becomes of messages that the door let in: the judge's word, or `passed` once the room has them. Pure.

import { Recent } from './recent.js';
import type { Verdict } from './types.js';

/** The word to a sender and the message to the room leave together, and may come in either order. */
const GRACE_MS = 1_000;

/** Of what was thinned nobody says anything. */
const SILENT_MS = 60_000;

/** A person sends one a second; the oldest gives way. */
const WAITING_MAX = 64;

/** The judge's word does not come by way of the door, so it may be the quicker one. */
const EARLY_MAX = 64;

export type Settle = (verdict: Verdict | undefined) => void;

interface Waiting {
  clientId: string;
  settle: Settle;
  passesAt: number;
  until: number;
}

export class Verdicts {
  #waiting = new Map<string, Waiting>();
  #early = new Recent<Verdict>(EARLY_MAX, SILENT_MS);

  get size(): number {
    return this.#waiting.size;
  }

  /** The door let `id` in; the room may have it already. */
  wait(id: string, clientId: string, isSeen: boolean, now: number, settle: Settle): void {
    const early = this.#early.get(id, now);
    if (early) return settle(early);
    const passesAt = isSeen ? now + GRACE_MS : Infinity;
    this.#waiting.set(id, { clientId, settle, passesAt, until: now + SILENT_MS });
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= WAITING_MAX) break;
      this.#end(oldest, undefined);
    }
  }

  /** The room has it. */
  seen(id: string, now: number): void {
    const one = this.#waiting.get(id);
    if (one) one.passesAt = Math.min(one.passesAt, now + GRACE_MS);
  }

  said(verdict: Verdict, now: number): void {
    if (this.#waiting.has(verdict.id)) this.#end(verdict.id, verdict);
    else this.#early.set(verdict.id, verdict, now);
  }

  /** Time passes. */
  look(now: number): void {
    for (const [id, { clientId, passesAt, until }] of this.#waiting) {
      if (passesAt <= now) this.#end(id, passed(id, clientId));
      else if (until <= now) this.#end(id, undefined);
    }
  }

  close(): void {
    for (const [id, { clientId, passesAt }] of this.#waiting)
      this.#end(id, passesAt < Infinity ? passed(id, clientId) : undefined);
  }

  #end(id: string, verdict: Verdict | undefined): void {
    const one = this.#waiting.get(id);
    this.#waiting.delete(id);
    one?.settle(verdict);
  }
}

const passed = (id: string, clientId: string): Verdict => ({
  id,
  clientId,
  verdict: 'passed',
  code: undefined,
  of: undefined,
  until: undefined,
  retryAfterMs: undefined,
});
