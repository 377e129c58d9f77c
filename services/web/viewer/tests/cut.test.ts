// Where texts end.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { cut } from '../src/cut.js';

test('a text is cut between letters as a reader counts them', () => {
  const flag = '🏳️‍🌈';
  const table: [string, number, string][] = [
    ['', 3, ''],
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc…'],
    ['e\u0301e\u0301', 3, 'e\u0301e\u0301'],
    [flag.repeat(5), 4, `${flag.repeat(4)}…`],
    [`a${'\u0301'.repeat(1_000)}b`, 3, '…'],
    ['长'.repeat(100_000), 2, '长长…'],
  ];
  for (const [text, letters, expected] of table) assert.equal(cut(text, letters), expected);
});
