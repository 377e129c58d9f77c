// What was said and not answered: waits for a line, goes out once on each, ends in time. Pure; it reads no clock.

/** The hall lets eight of a viewer's messages wait while one is under way. */
const UNSENT_MAX = 8;

/** Younger than the judge's memory of a `client_id` (60 s), so that what went out twice is shown once. */
export const UNSENT_MS_MAX = 45_000;
const UNSENT_MS = 30_000;

/** The door answers within 5 s, or the hall says `unavailable`; an answer that takes longer is lost. */
const ANSWER_MS = 10_000;

/** What a door wants that only says `unavailable`. */
const AGAIN_MS = 1_500;

interface Kept<What> {
  what: What;
  since: number;
  /** Not again before then. */
  readyAt: number;
  /** Was on a line at all. */
  wasOut: boolean;
}

/** Something that will get no answer any more, and why: `unknown` when it was on a line, and may have been heard. */
interface Over<What> {
  what: What;
  code: string;
}

export class Outbox<What> {
  #kept = new Map<string, Kept<What>>();

  constructor(readonly unsentMs = UNSENT_MS) {}

  get size(): number {
    return this.#kept.size;
  }

  /** False when too many wait. */
  add(clientId: string, what: What, now: number): boolean {
    const fits = this.size < UNSENT_MAX;
    if (fits) this.#kept.set(clientId, { what, since: now, readyAt: now, wasOut: false });
    return fits;
  }

  /** A new line: what is not answered goes out again, with the `client_id` that it had. */
  resume(now: number): void {
    for (const one of this.#kept.values()) one.readyAt = now;
  }

  /** What goes out now, in the order in which it was said. */
  due(now: number): What[] {
    const due = [...this.#kept.values()].filter(({ readyAt }) => readyAt <= now);
    for (const one of due) {
      one.wasOut = true;
      one.readyAt = now + ANSWER_MS;
    }
    return due.map(({ what }) => what);
  }

  /**
   * The door's answer; what it was about, when that ends the matter. `unavailable` does not: nobody knows, so the same
   * is asked again.
   */
  answer(clientId: string, code: string, retryAfterMs = AGAIN_MS, now: number): What | undefined {
    const one = this.#kept.get(clientId);
    if (one && code === 'unavailable' && now + retryAfterMs < one.since + this.unsentMs) {
      one.readyAt = now + retryAfterMs;
      return undefined;
    }
    this.#kept.delete(clientId);
    return one?.what;
  }

  /** What is too old, or all of it. */
  end(code: string, now = Infinity): Over<What>[] {
    const over: Over<What>[] = [];
    for (const [clientId, { what, since, wasOut, readyAt }] of this.#kept) {
      // What is on a line waits for its answer, even where nothing waits for a line.
      if (now - since <= this.unsentMs || (wasOut && now < readyAt)) continue;
      this.#kept.delete(clientId);
      over.push({ what, code: wasOut ? 'unknown' : code });
    }
    return over;
  }
}
