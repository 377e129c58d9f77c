// The client's table of close codes against the server's own, and over every code there is.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { afterClose, type Next } from '../src/closes.js';

const server = readFileSync(new URL('../../../../proto/src/close.rs', import.meta.url), 'utf8');

test('what the server expects after each of its codes is done', () => {
  const nexts: Record<string, Next> = { ComeBack: 'back', RefreshFirst: 'renew', StayAway: 'stop' };
  const rows = [...server.matchAll(/=> \((\d{4}), "[^"]+", (\w+)\)/g)];
  expect(rows.length).toBeGreaterThan(15);
  for (const [, code, after] of rows) expect(afterClose(Number(code)), `${code}`).toBe(nexts[after ?? '']);
});

test('every code from 1000 to 4999 has an answer, by its range', () => {
  const codes = Array.from({ length: 4_000 }, (_, one) => 1_000 + one);
  const of = (next: Next) => codes.filter((code) => afterClose(code) === next);
  expect(of('renew')).toEqual([4005]);
  expect(of('stop').filter((code) => code >= 4_500)).toEqual(codes.filter((code) => code >= 4_500));
  expect(of('back').filter((code) => code >= 4_000)).toEqual(
    codes.filter((code) => code >= 4_000 && code < 4_500 && code !== 4005),
  );
});

test('codes that no server of ours sends: a line that just ends comes back, a quarrel about the protocol does not', () => {
  for (const code of [1001, 1005, 1006, 1011, 1012, 1013, 1014, 1015, 3000])
    expect(afterClose(code), `${code}`).toBe('back');
  for (const code of [1000, 1002, 1003, 1007, 1008, 1009, 1010]) expect(afterClose(code), `${code}`).toBe('stop');
});
