// Whether the line is alive: when to ping, what a miss is, and when it is dead whatever the socket says. Pure; time is an argument.

import type { Profile } from './profiles.js';

/** So many pings in a row without an answer, and the line is dead. */
const MISSES_MAX = 2;

/** Right after the hello a few pings more, so that clock and round trip are known before the first danmaku are old. */
const TUNES = 3;
const TUNE_MS = 2_000;

/** A round trip from here on, or a miss in the last minute, is a weak line. */
const WEAK_TRIP_MS = 500;
const WEAK_KEEP_MS = 60_000;

/** A timer this late: the machine slept, and nobody knows what became of the line. */
const SLEPT_MS = 10_000;

/** What is said without pings (an event stream's comments, each 15 s) may be late by one and a bit. */
const SILENT_MS_MAX = 40_000;

/** The shortest interval, whatever the server says of its patience. */
const PING_MS_MIN = 1_000;

export class Liveness {
  /** Pings in a row without an answer. */
  missed = 0;
  isHidden = false;
  #asks = true;
  #idleMs = 75_000;
  #askedAt: number | undefined;
  #pingAt = 0;
  #heardAt = 0;
  #pings = 0;
  #missedAt = -Infinity;
  #tripMs = 0;

  constructor(readonly profile: Profile) {}

  /** A new line said hello. `asks` is false where only the server speaks. */
  start(now: number, asks: boolean, idleMs: unknown): void {
    this.#asks = asks;
    if (typeof idleMs === 'number' && idleMs > 0) this.#idleMs = idleMs;
    this.#askedAt = undefined;
    this.#pingAt = this.#heardAt = now;
    this.#pings = this.missed = 0;
  }

  /** Whatever comes is a sign of life. */
  heard(now: number): void {
    this.#heardAt = now;
    this.#askedAt = undefined;
    this.missed = 0;
  }

  /** The round trip of a pong. */
  pong(tripMs: number | undefined): void {
    this.#tripMs = tripMs ?? 0;
  }

  /** Asks now; when `isLastChance`, one miss is enough. */
  probe(now: number, isLastChance: boolean): void {
    if (isLastChance) this.missed = MISSES_MAX - 1;
    if (this.#askedAt === undefined) this.#pingAt = now;
  }

  isWeak(now: number): boolean {
    return this.#tripMs >= WEAK_TRIP_MS || now - this.#missedAt < WEAK_KEEP_MS;
  }

  /** How often it pings at present: within four fifths of what the server waits for. */
  everyMs(now: number): number {
    if (this.#pings < TUNES) return TUNE_MS;
    const { pingMs, weakPingMs } = this.profile;
    const wanted = this.isHidden ? 2 * pingMs : this.isWeak(now) ? Math.min(weakPingMs, pingMs) : pingMs;
    return Math.max(PING_MS_MIN, Math.min(wanted, 0.8 * this.#idleMs));
  }

  /** When to look again. */
  nextAt(): number {
    if (!this.#asks) return this.#heardAt + SILENT_MS_MAX;
    return this.#askedAt === undefined ? this.#pingAt : this.#askedAt + this.profile.pongMs;
  }

  /** What to do now. */
  look(now: number): 'wait' | 'ping' | 'dead' {
    const late = now - this.nextAt();
    if (late < 0) return 'wait';
    if (!this.#asks) return 'dead';
    if (late > SLEPT_MS && !this.isHidden) this.missed = MISSES_MAX - 1;
    if (this.#askedAt !== undefined) {
      this.#missedAt = now;
      if (++this.missed >= MISSES_MAX) return 'dead';
    }
    this.#pings += 1;
    this.#askedAt = now;
    this.#pingAt = now + this.everyMs(now);
    return 'ping';
  }
}
