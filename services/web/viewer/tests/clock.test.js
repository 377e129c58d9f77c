// Latency between two clocks that disagree: the quickest round trip decides.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServerClock } from '../clock.js';

test('a hello alone sets the offset', () => {
  const clock = new ServerClock();
  clock.hello(5_000, 1_000);
  assert.equal(clock.ageMs(5_050, 1_100), 50);
});

test('a pong corrects it by half its round trip, and the quickest of the last eight wins', () => {
  const clock = new ServerClock();
  clock.hello(5_000, 1_100);
  clock.pong(2_000, 6_010, 2_020);
  assert.equal(clock.toServer(2_020), 6_020);
  clock.pong(3_000, 7_900, 4_000);
  assert.equal(clock.toServer(2_020), 6_020);
  for (let at = 5_000; at < 13_000; at += 1_000) clock.pong(at, at + 5_000 + 100, at + 200);
  assert.equal(clock.toServer(20_000), 25_000);
});

test('an age is never negative, and nonsense changes nothing', () => {
  const clock = new ServerClock();
  clock.hello(1_000, 1_000);
  clock.pong(undefined, 9, 9);
  clock.pong(50, undefined, 9);
  assert.equal(clock.ageMs(1_500, 1_400), 0);
});
