// The short queue before the stage: order, bounds, and that nothing stale is shown as live.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Waiting } from '../waiting.js';

const drain = (waiting, now, most = 99) => {
  const placed = [];
  const late = waiting.place(now, most, (line) => placed.push(line));
  return { placed, late };
};

test('lines leave in order, at most so many at a time', () => {
  const waiting = new Waiting(10, 2_000);
  for (const line of ['a', 'b', 'c']) waiting.offer(line, false, 0);
  assert.deepEqual(drain(waiting, 1, 2).placed, ['a', 'b']);
  assert.deepEqual(drain(waiting, 2, 2).placed, ['c']);
});

test('one’s own line goes first, and is the last to give way', () => {
  const waiting = new Waiting(2, 2_000);
  assert.equal(waiting.offer('a', false, 0), 0);
  assert.equal(waiting.offer('mine', true, 0), 0);
  assert.equal(waiting.offer('b', false, 0), 1);
  assert.deepEqual(drain(waiting, 1).placed, ['mine', 'b']);
});

test('what waited too long is counted and not placed', () => {
  const waiting = new Waiting(10, 2_000);
  waiting.offer('old', false, 0);
  waiting.offer('new', false, 1_500);
  assert.deepEqual(drain(waiting, 2_500), { placed: ['new'], late: 1 });
});

test('a line that does not fit lets the others pass', () => {
  const waiting = new Waiting(10, 2_000);
  for (const line of ['wide', 'slim']) waiting.offer(line, false, 0);
  const placed = [];
  waiting.place(1, 9, (line) => line === 'slim' && placed.push(line));
  assert.deepEqual([placed, waiting.size], [['slim'], 1]);
});

test('a recalled line leaves the queue', () => {
  const waiting = new Waiting(10, 2_000);
  for (const line of ['a', 'b']) waiting.offer(line, false, 0);
  waiting.remove((line) => line === 'a');
  assert.deepEqual(drain(waiting, 1).placed, ['b']);
});
