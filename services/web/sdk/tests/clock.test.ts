// Two clocks that disagree: the quickest round trip decides.

import { expect, test } from 'vitest';
import { serverClock } from '../src/clock.js';

test('a hello alone sets the offset', () => {
  const clock = serverClock();
  clock.hello(5_000, 1_000);
  expect(clock.toServer(1_100)).toBe(5_100);
});

test('a pong corrects it by half its round trip, and the quickest of the last eight wins', () => {
  const clock = serverClock();
  clock.hello(5_000, 1_100);
  clock.pong(2_000, 6_010, 2_020);
  expect(clock.toServer(2_020)).toBe(6_020);
  clock.pong(3_000, 7_900, 4_000);
  expect(clock.toServer(2_020)).toBe(6_020);
  for (let at = 5_000; at < 13_000; at += 1_000) clock.pong(at, at + 5_000 + 100, at + 200);
  expect(clock.toServer(20_000)).toBe(25_000);
});

test('the round trip is a mean that follows, and another connection begins anew', () => {
  const clock = serverClock();
  clock.pong(0, 0, 100);
  clock.pong(0, 0, 500);
  expect(clock.roundTripMs).toBe(200);
  clock.hello(0, 0);
  expect(clock.roundTripMs).toBeUndefined();
});

test('a clock that jumps, or stood still while the machine slept, is believed at the next pong', () => {
  const clock = serverClock();
  for (const at of [0, 1_000, 2_000]) clock.pong(at, at + 5_010, at + 20);
  clock.pong(3_000, 3_000 + 3_605_100, 3_200);
  expect(clock.toServer(4_000)).toBe(4_000 + 3_605_000);
  clock.pong(4_000, 4_000 + 3_605_010, 4_020);
  clock.pong(5_000, 5_000 + 5_010, 5_020);
  expect(clock.toServer(6_000)).toBe(11_000);
});

test('nonsense changes nothing', () => {
  const clock = serverClock();
  clock.hello('noon', 9);
  for (const [at, now] of [
    [undefined, 9],
    [5, undefined],
    [50, 9],
    [NaN, 9],
    ['5', '9'],
    [5, Infinity],
    [-Infinity, 9],
  ])
    clock.pong(at, now, 9);
  expect([clock.toServer(7), clock.roundTripMs]).toEqual([7, undefined]);
});
