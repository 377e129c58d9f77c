// How patient a client is with its line, as numbers for the kind of place it lives in. No rules.

import type { ProfileName } from './types.js';

export interface Profile {
  /** A ping so often on a good line; the server closes one that it has not heard for 75 s. */
  pingMs: number;
  /** And so often on a weak one, where a dead line is likely and must be found soon. */
  weakPingMs: number;
  /** Nothing heard for so long after a ping is a miss; two misses are a dead line. */
  pongMs: number;
  /** The first ceiling of the backoff; it doubles with each attempt … */
  baseMs: number;
  /** … up to this one. */
  capMs: number;
  /** The first connection is made at a random moment up to here, because a whole audience opens a page at once. */
  firstMs: number;
}

const office: Profile = { pingMs: 30_000, weakPingMs: 8_000, pongMs: 5_000, baseMs: 800, capMs: 30_000, firstMs: 300 };

export const PROFILES: Record<ProfileName, Profile> = {
  office,
  // A line that often dies, with a person who looks at it: found and mended sooner, and never half a minute away.
  mobile: { ...office, pingMs: 15_000, baseMs: 400, capMs: 10_000 },
  // Each ping wakes a radio: as few as the server allows, and slow to come back.
  'low-power': { ...office, pingMs: 55_000, weakPingMs: 20_000, baseMs: 2_000, capMs: 60_000, firstMs: 1_000 },
  // Nobody looks after it, as an overlay in a broadcast: a dead line must be found by itself, and there is no hurry at
  // the start.
  camera: { ...office, pingMs: 10_000, capMs: 15_000, firstMs: 2_000 },
};

/** A socket that says nothing for this long after it was asked for is dead. */
export const CONNECT_MS = 10_000;

/** A connection that lived this long has lasted: the next failure starts the backoff anew. */
export const STEADY_MS = 10_000;
