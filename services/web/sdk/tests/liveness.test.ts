// Whether a line is alive: played on a clock that the test moves.

import { expect, test } from 'vitest';
import { liveness as of } from '../src/liveness.js';
import { PROFILES } from '../src/profiles.js';
import type { ProfileName } from '../src/types.js';

const idleMs = 75_000;

const lineOf = (profile: ProfileName, roundTripMs?: number) => of(PROFILES[profile], { roundTripMs });

/**
 * Plays a line from 0 to `end`; `answers` tells how long a ping's answer takes, `undefined` for never. Returns what
 * happened when.
 */
function play(
  liveness: ReturnType<typeof of>,
  end: number,
  answers: (at: number) => number | undefined,
): [string, number][] {
  const log: [string, number][] = [];
  let answerAt = Infinity;
  liveness.start(0, true, idleMs);
  for (let now = 0; now <= end;) {
    if (now >= answerAt) {
      answerAt = Infinity;
      liveness.heard(now);
    }
    const deed = liveness.look(now);
    if (deed !== 'wait') log.push([deed, now]);
    if (deed === 'dead') return log;
    if (deed === 'ping') answerAt = now + (answers(now) ?? Infinity);
    now = Math.min(answerAt, liveness.nextAt());
  }
  return log;
}

const pings = (log: [string, number][]) => log.filter(([deed]) => deed === 'ping').map(([, at]) => at);

test('on a good line: at once and thrice soon after for the clock, then each half minute', () => {
  const log = play(lineOf('office'), 100_000, () => 50);
  expect(pings(log)).toEqual([0, 2_000, 4_000, 34_000, 64_000, 94_000]);
});

test('two pings without an answer within 5 s each, and the line is dead: no close is waited for', () => {
  const log = play(lineOf('office'), 200_000, (at) => (at >= 34_000 ? undefined : 50));
  expect(log.slice(-3)).toEqual([
    ['ping', 34_000],
    ['ping', 39_000],
    ['dead', 44_000],
  ]);
});

test('one miss is forgiven, and makes the line a weak one for a minute', () => {
  const log = play(lineOf('office'), 130_000, (at) => (at === 34_000 ? undefined : 50));
  expect(pings(log)).toEqual([
    0, 2_000, 4_000, 34_000, 39_000, 47_000, 55_000, 63_000, 71_000, 79_000, 87_000, 95_000, 103_000,
  ]);
});

test('a long round trip is a weak line: each 8 s', () => {
  expect(pings(play(lineOf('office', 800), 30_000, () => 800))).toEqual([0, 2_000, 4_000, 12_000, 20_000, 28_000]);
});

test('anything that comes is a sign of life', () => {
  const liveness = lineOf('office');
  liveness.start(0, true, idleMs);
  expect(liveness.look(0)).toBe('ping');
  liveness.heard(4_000);
  expect([liveness.missed, liveness.look(5_000), liveness.look(10_000)]).toEqual([0, 'ping', 'ping']);
});

test('every profile stays within four fifths of what the server waits for, and above a second', () => {
  for (const profile of Object.keys(PROFILES) as ProfileName[])
    for (const [patience, isHidden] of [
      [75_000, false],
      [75_000, true],
      [20_000, false],
      [1, true],
    ] as const) {
      const liveness = lineOf(profile);
      liveness.isHidden = isHidden;
      liveness.start(0, true, patience);
      for (let now = 0; now < 4; now += 1) (liveness.probe(now), liveness.look(now), liveness.heard(now));
      expect(liveness.everyMs(10)).toBeLessThanOrEqual(Math.max(1_000, 0.8 * patience));
      expect(liveness.everyMs(10)).toBeGreaterThanOrEqual(1_000);
    }
});

test('hidden pings half as often, and well before the minute in which the browser runs its timers once', () => {
  const liveness = lineOf('office');
  liveness.isHidden = true;
  expect(pings(play(liveness, 130_000, () => 50))).toEqual([0, 2_000, 4_000, 49_000, 94_000]);
});

test('shown, or asked for the last time: one miss is enough', () => {
  const liveness = lineOf('office');
  liveness.start(0, true, idleMs);
  liveness.look(0);
  liveness.heard(10);
  liveness.probe(1_000, true);
  expect([liveness.look(1_000), liveness.look(5_999), liveness.look(6_000)]).toEqual(['ping', 'wait', 'dead']);
});

test('a machine that slept asks once', () => {
  const liveness = lineOf('office');
  liveness.start(0, true, idleMs);
  liveness.look(0);
  liveness.heard(10);
  expect([liveness.look(3_600_000), liveness.look(3_605_000)]).toEqual(['ping', 'dead']);
});

test('where only the server speaks nothing is asked, and 40 s of silence are the end', () => {
  const liveness = lineOf('office');
  liveness.start(0, false, idleMs);
  expect([liveness.look(39_999), liveness.look(40_000)]).toEqual(['wait', 'dead']);
  liveness.heard(15_000);
  expect([liveness.look(54_999), liveness.nextAt()]).toEqual(['wait', 55_000]);
});
