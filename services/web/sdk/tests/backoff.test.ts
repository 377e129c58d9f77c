// How long a client waits, as numbers.

import { expect, test } from 'vitest';
import { afterMs, backoffMs, waitMs } from '../src/backoff.js';
import { PROFILES } from '../src/profiles.js';

test('the ceiling doubles with each attempt up to the cap, and chance takes any part of it', () => {
  const { office } = PROFILES;
  const rows = [
    [0, 1, 800],
    [1, 1, 1_600],
    [3, 1, 6_400],
    [6, 1, 30_000],
    [1_000, 1, 30_000],
    [3, 0, 0],
    [3, 0.25, 1_600],
  ] as const;
  for (const [attempts, random, ms] of rows)
    expect(backoffMs(attempts, random, office), `${attempts} ${random}`).toBe(ms);
});

test('every profile has a ceiling that grows, and never one above its cap', () => {
  for (const profile of Object.values(PROFILES)) {
    const ceilings = Array.from({ length: 40 }, (_, attempts) => backoffMs(attempts, 1, profile));
    expect(ceilings).toEqual([...ceilings].sort((a, b) => a - b));
    expect(ceilings.at(-1)).toBe(profile.capMs);
    expect(ceilings[0]).toBe(profile.baseMs);
  }
});

test('a thousand clients that lost one server spread over the whole time', () => {
  const waits = Array.from({ length: 1_000 }, (_, one) => backoffMs(4, one / 1_000, PROFILES.office));
  const inTenth = (tenth: number) => waits.filter((ms) => Math.floor(ms / 1_280) === tenth).length;
  for (let tenth = 0; tenth < 10; tenth += 1) expect(inTenth(tenth)).toBeCloseTo(100, -1);
});

test('nobody looks at a hidden page, so it takes twice as long', () => {
  expect(backoffMs(2, 0.5, PROFILES.office, true)).toBe(2 * backoffMs(2, 0.5, PROFILES.office));
});

test('a moment that the server chose is kept the first time; later the longer of the two', () => {
  const rows = [
    [undefined, 500, 0, 500],
    [0, 500, 0, 0],
    [4_000, 500, 0, 4_000],
    [0, 500, 1, 500],
    [4_000, 500, 1, 4_000],
  ] as const;
  for (const [planned, backoff, attempts, ms] of rows) expect(waitMs(planned, backoff, attempts)).toBe(ms);
});

test('a wait out of this world is cut', () => {
  const rows = [
    [1_500, 1_500],
    [1e12, 300_000],
    [-5, 0],
    [NaN, 0],
    ['soon', 0],
    [undefined, 0],
  ] as const;
  for (const [asked, ms] of rows) expect(afterMs(asked), String(asked)).toBe(ms);
});
