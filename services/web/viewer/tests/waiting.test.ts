// The short queue before the stage: order, bounds, and that nothing stale is shown as live.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { Waiting } from '../src/waiting.js';

function queue(max: number) {
  const lost: string[] = [];
  const waiting = new Waiting<string>(max, 2_000, (line) => lost.push(line));
  const drain = (now: number, most = 99) => {
    const placed: string[] = [];
    waiting.place(now, most, (line) => placed.push(line) > 0);
    return placed;
  };
  return { waiting, lost, drain };
}

test('lines leave in order, at most so many at a time', () => {
  const { waiting, drain } = queue(10);
  for (const line of ['a', 'b', 'c']) waiting.offer(line, false, 0);
  assert.deepEqual(drain(1, 2), ['a', 'b']);
  assert.deepEqual(drain(2, 2), ['c']);
});

test('one’s own line goes first, and is the last to give way', () => {
  const { waiting, lost, drain } = queue(2);
  waiting.offer('a', false, 0);
  waiting.offer('mine', true, 0);
  assert.deepEqual(lost, []);
  waiting.offer('b', false, 0);
  assert.deepEqual(lost, ['a']);
  assert.deepEqual(drain(1), ['mine', 'b']);
});

test('what waited too long is told as lost and not placed', () => {
  const { waiting, lost, drain } = queue(10);
  waiting.offer('old', false, 0);
  waiting.offer('new', false, 1_500);
  assert.deepEqual([drain(2_500), lost], [['new'], ['old']]);
});

test('a line that does not fit lets the others pass', () => {
  const { waiting } = queue(10);
  for (const line of ['wide', 'slim']) waiting.offer(line, false, 0);
  const placed: string[] = [];
  waiting.place(1, 9, (line) => line === 'slim' && placed.push(line) > 0);
  assert.deepEqual([placed, waiting.size], [['slim'], 1]);
});

test('a recalled line leaves the queue, and is not lost', () => {
  const { waiting, lost, drain } = queue(10);
  for (const line of ['a', 'b']) waiting.offer(line, false, 0);
  waiting.remove((line) => line === 'a');
  assert.deepEqual([drain(1), lost], [['b'], []]);
});
