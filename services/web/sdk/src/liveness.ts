// Whether the line is alive, whatever the socket says: when to ping, and what a miss is. Pure; it reads no clock.

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

/** `line` is what is known of its round trips. */
export function liveness({ pingMs, weakPingMs, pongMs }: Profile, line: { roundTripMs: number | undefined }) {
  let asks = true;
  let patienceMs = 75_000;
  let askedAt: number | undefined;
  let pingAt = 0;
  let heardAt = 0;
  let pings = 0;
  let missedAt = -Infinity;

  const own = {
    /** Pings in a row without an answer. */
    missed: 0,
    isHidden: false,
    start,
    heard,
    probe,
    everyMs,
    nextAt,
    look,
  };
  return own;

  /** A new line said hello. `isAsked` is false where only the server speaks. */
  function start(now: number, isAsked: boolean, idleMs: unknown): void {
    asks = isAsked;
    if (typeof idleMs === 'number' && idleMs > 0) patienceMs = idleMs;
    heard(now);
    pingAt = now;
    pings = 0;
  }

  /** Whatever comes is a sign of life. */
  function heard(now: number): void {
    heardAt = now;
    askedAt = undefined;
    own.missed = 0;
  }

  /** Asks now; with `isLastChance` one miss is enough. */
  function probe(now: number, isLastChance = false): void {
    if (isLastChance) own.missed = MISSES_MAX - 1;
    if (askedAt === undefined) pingAt = now;
  }

  /**
   * How often it pings at present: within four fifths of what the server waits for. A hidden page's timers may run once
   * a minute only,
   * so there a ping must be due well before the minute is over.
   */
  function everyMs(now: number): number {
    if (pings < TUNES) return TUNE_MS;
    const isWeak = (line.roundTripMs ?? 0) >= WEAK_TRIP_MS || now - missedAt < WEAK_KEEP_MS;
    const wanted = own.isHidden ? 2 * pingMs : isWeak ? Math.min(weakPingMs, pingMs) : pingMs;
    return Math.max(PING_MS_MIN, Math.min(wanted, patienceMs * (own.isHidden ? 0.6 : 0.8)));
  }

  /** When to look again. */
  function nextAt(): number {
    if (!asks) return heardAt + SILENT_MS_MAX;
    return askedAt === undefined ? pingAt : askedAt + pongMs;
  }

  /** What to do now. */
  function look(now: number): 'wait' | 'ping' | 'dead' {
    const late = now - nextAt();
    if (late < 0) return 'wait';
    if (!asks) return 'dead';
    if (late > SLEPT_MS && !own.isHidden) own.missed = MISSES_MAX - 1;
    if (askedAt !== undefined) {
      missedAt = now;
      own.missed += 1;
      if (own.missed >= MISSES_MAX) return 'dead';
    }
    pings += 1;
    askedAt = now;
    pingAt = now + everyMs(now);
    return 'ping';
  }
}
