// What comes with a message is from outside: every shape is read, and none is believed.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { giftOf, scoreOf, sumOf, superOf, tierOf } from '../src/carried.js';
import { said } from './said.js';

const odd: unknown[] = [
  undefined,
  null,
  7,
  'text',
  [],
  [1],
  {},
  { count: '3' },
  { count: -1 },
  { count: NaN },
  { sides: [{}, {}] },
];

test('a gift without a sensible count is one', () => {
  for (const data of odd)
    assert.deepEqual([giftOf(said('', { data })).count, giftOf(said('', { data })).folded], [1, 1]);
  const gift = giftOf(said('', { by: 'u1', data: { gift: 'rose', name: '玫瑰', count: 40, folded: 12 } }));
  assert.deepEqual(gift, { key: 'u1|rose', name: '玫瑰', count: 40, folded: 12 });
});

test('a super-chat stays at least five seconds and at most five minutes', () => {
  for (const data of odd)
    assert.deepEqual(superOf(said('', { data })), { amountMinor: 0, currency: '', showMs: 5_000 });
  assert.equal(superOf(said('', { data: { show_ms: 9e9 } })).showMs, 300_000);
});

test('a sum is told in the reader’s language, and an unknown currency not at all', () => {
  const sum = (amountMinor: number, currency: string) => sumOf({ amountMinor, currency, showMs: 1 }, 'en');
  assert.deepEqual([sum(3_000, 'CNY'), sum(500, 'JPY'), sum(500, '')], ['¥30.00', '¥500', '']);
  assert.deepEqual(
    [0, 999, 1_000, 9_999, 49_999, 1e9].map((amountMinor) => tierOf({ amountMinor, currency: '', showMs: 1 })),
    [0, 0, 1, 2, 3, 4],
  );
});

test('a score has two sides with points, or there is none', () => {
  for (const data of odd) assert.equal(scoreOf(said('', { data })), undefined);
  const sides = [
    { name: 'A', points: 2 },
    { name: 'B', points: 1 },
  ];
  assert.deepEqual(scoreOf(said('', { data: { sides } })), sides);
});
