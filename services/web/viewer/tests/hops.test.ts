// What the hops' panel draws, and what it makes of an answer that is none.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { look, rowsOf, type Ask, type Seen } from '../src/hops.js';
import { wordsFor } from '../src/words.js';

test('bars are shares of the slowest hop', () => {
  const rows = rowsOf([
    { hop: 'appended', p50_ms: 1, p99_ms: 10 },
    { hop: 'judged', p50_ms: null, p99_ms: null },
    { hop: 'encoded', p50_ms: 20, p99_ms: 40 },
  ]);
  assert.deepEqual(
    rows.map(({ hop, half, most }) => [hop, half, most]),
    [
      ['appended', 2.5, 25],
      ['judged', 0, 0],
      ['encoded', 50, 100],
    ],
  );
  assert.deepEqual(rowsOf([]), []);
  assert.deepEqual(rowsOf([{ hop: 'judged', p50_ms: 0, p99_ms: 0 }])[0]?.most, 0);
});

test('a time is no more exact than it was measured', () => {
  const { milliseconds } = wordsFor(['en']);
  assert.deepEqual([null, undefined, 0, 0.249, 9.94, 10, 1_234.5, 20_000].map(milliseconds), [
    '–',
    '–',
    '0.0 ms',
    '0.2 ms',
    '9.9 ms',
    '10 ms',
    '1235 ms',
    '20 s',
  ]);
});

test('who keeps the hops to himself is told apart from who does not answer', async () => {
  const answer =
    (status: number, said?: object): Ask =>
    async () => ({
      status,
      ok: status === 200,
      json: async () => said ?? JSON.parse('<'),
    });
  const hops = [{ hop: 'judged', p50_ms: 1, p99_ms: 2 }];
  const table: [Ask, Seen][] = [
    [answer(200, { over_ms: 8_000, hops }), { kind: 'shown', overMs: 8_000, hops }],
    [answer(403), { kind: 'elsewhere', hops: [] }],
    [answer(404), { kind: 'elsewhere', hops: [] }],
    [answer(503), { kind: 'silent', hops: [] }],
    [answer(200), { kind: 'silent', hops: [] }],
    [answer(200, {}), { kind: 'silent', hops: [] }],
    [async () => Promise.reject(new TypeError('no network')), { kind: 'silent', hops: [] }],
  ];
  for (const [ask, expected] of table) assert.deepEqual(await look(ask), expected);
});
