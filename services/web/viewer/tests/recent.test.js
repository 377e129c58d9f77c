// The duplicate guard: each key once, bounded, and recalled ids that are forgotten in time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf, Recent, Remembered } from '../recent.js';

test('a key is new once', () => {
  const recent = new Recent(10);
  assert.deepEqual([recent.add('a'), recent.add('a'), recent.add('b')], [true, false, true]);
});

test('the oldest key gives way when the set is full', () => {
  const recent = new Recent(3);
  for (const key of ['a', 'b', 'c', 'd']) recent.add(key);
  assert.deepEqual([recent.has('a'), recent.has('b'), recent.has('d')], [false, true, true]);
});

test('the same id of a river built anew is another message', () => {
  const recent = new Recent(10);
  assert.equal(recent.add(keyOf({ id: '1-0-7', at: 100 })), true);
  assert.equal(recent.add(keyOf({ id: '1-0-7', at: 100 })), false);
  assert.equal(recent.add(keyOf({ id: '1-0-7', at: 900 })), true);
});

test('a recalled id is remembered for its time, and not more of them than fit', () => {
  const recalled = new Remembered(2, 60_000);
  recalled.add('a', 0);
  assert.equal(recalled.has('a', 59_999), true);
  assert.equal(recalled.has('a', 60_000), false);
  for (const key of ['b', 'c', 'd']) recalled.add(key, 0);
  assert.deepEqual([recalled.has('b', 1), recalled.has('c', 1), recalled.has('d', 1)], [false, true, true]);
});
