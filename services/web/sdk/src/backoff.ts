// How long a client waits before it tries again: exponential backoff with full jitter. Pure; the caller brings chance.

import type { Profile } from './profiles.js';

/** Nobody looks at a hidden page, so it comes back at half the rate. */
const HIDDEN = 2;

/**
 * Anywhere between nothing and a ceiling that doubles with each attempt, so that a crowd that lost its server spreads
 * over the whole time.
 */
export function backoffMs(attempts: number, random: number, { baseMs, capMs }: Profile, isHidden = false): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempts, 16));
  return Math.round(random * ceiling * (isHidden ? HIDDEN : 1));
}

/** A moment that the server chose is kept the first time; who is sent away again and again waits for himself too. */
export function waitMs(plannedMs: number | undefined, backoff: number, attempts: number): number {
  return attempts > 0 ? Math.max(plannedMs ?? 0, backoff) : (plannedMs ?? backoff);
}

/** The longest wait that a server may ask for; a number out of this world must not end the watching. */
export const AFTER_MS_MAX = 300_000;

/** A wait as the server names it, made sane. */
export const afterMs = (asked: unknown): number =>
  typeof asked === 'number' && asked > 0 ? Math.min(asked, AFTER_MS_MAX) : 0;
