// What waits for a moderator, the most pressing first, and whether a key may act on it yet. Pure, with time as an argument. What a
// decision does is kept out (`acts`).

import type { Hold } from '../api/shapes';

/** A card that came under the finger within this time was not read: a key that was meant for the one before must not hit it. */
export const SETTLE_MS = 350;

export class Queue {
  /** By deadline. Replaced, never changed in place. */
  waiting: readonly Hold[] = [];
  /** Those that this moderator has decided on, before the service has answered. */
  private readonly leaving = new Set<string>();
  private firstId = '';
  private firstSince = 0;

  /** All that waits, as the service tells it. */
  reset(holds: readonly Hold[], now: number): void {
    this.waiting = holds.filter((hold) => this.waits(hold)).sort(pressing);
    this.note(now);
  }

  add(hold: Hold, now: number): void {
    if (!this.waits(hold) || this.waiting.some(({ id }) => id === hold.id)) return;
    this.waiting = [...this.waiting, hold].sort(pressing);
    this.note(now);
  }

  /** Goes at once: a second key must not hit the same one. */
  leave(id: string, now: number): void {
    this.leaving.add(id);
    this.take(id, now);
  }

  /** The service has answered: if it waits still, it may come back. */
  settle(id: string): void {
    this.leaving.delete(id);
  }

  /** The one that was decided on, if it waited here. */
  take(id: string, now: number): Hold | undefined {
    const taken = this.waiting.find((hold) => hold.id === id);
    if (taken) this.waiting = this.waiting.filter((hold) => hold.id !== id);
    this.note(now);
    return taken;
  }

  /** The one a key acts on when none is chosen, once it has been there long enough to be read. */
  next(now: number): Hold | undefined {
    return now - this.firstSince >= SETTLE_MS ? this.waiting[0] : undefined;
  }

  private waits(hold: Hold): boolean {
    return !hold.decision && !this.leaving.has(hold.id);
  }

  private note(now: number): void {
    const id = this.waiting[0]?.id ?? '';
    if (id === this.firstId) return;
    this.firstId = id;
    this.firstSince = now;
  }
}

function pressing(one: Hold, other: Hold): number {
  return one.deadline_ms - other.deadline_ms || one.held_ms - other.held_ms;
}

/** Seconds left, and the share of the whole wait that is left. */
export function left(hold: Pick<Hold, 'held_ms' | 'deadline_ms'>, now: number): { seconds: number; share: number } {
  const whole = Math.max(1, hold.deadline_ms - hold.held_ms);
  const rest = Math.max(0, hold.deadline_ms - now);
  return { seconds: Math.ceil(rest / 1000), share: Math.min(1, rest / whole) };
}
