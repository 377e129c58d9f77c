// The figures: percents, peaks, what is promised and what is doubted.

import { expect, test } from 'vitest';
import { Peak } from '../peak.js';
import { ALL, doubts, promises, row, table, type Row } from '../report.js';
import type { Kind } from '../clients/index.js';
import type { Verdict } from '../verdict.js';

const verdict = (change: Partial<Verdict> = {}): Verdict => ({ failure: undefined, awayMs: 0, lateMs: [], ...change });

test('a row counts who came through, why the others did not, and what was late', () => {
  const verdicts = [verdict({ lateMs: [100, 5_001] }), verdict({ failure: 'outage', awayMs: 7_000, lateMs: [1, 2] }), verdict(), verdict({ failure: 'missed' })];
  expect(row('ours', 'any', verdicts, { most: 5, total: 9 })).toEqual({
    kind: 'ours',
    network: 'any',
    sessions: 4,
    completedPercent: 50,
    failures: { login: 0, outage: 1, unsaid: 0, missed: 1, twice: 0 },
    peak: 5,
    opened: 9,
    longestAwayMs: 7_000,
    latePercent: 25,
  });
});

test('no session is no percent', () => {
  expect(row('ours', 'any', [], { most: 0, total: 0 })).toMatchObject({ completedPercent: 0, latePercent: 0 });
});

const rows = (completed: number, peak: number): Row[] =>
  (['fixed', 'ours'] as Kind[]).map((kind) => ({
    ...row(kind, ALL, [verdict()], { most: kind === 'ours' ? peak : 256, total: 300 }),
    completedPercent: completed,
  }));

test.each([
  [95, 255, [true, true]],
  [94.9, 255, [false, true]],
  [95, 256, [true, false]],
])('%d %% and a peak of %d', (completed, peak, kept) => {
  expect(promises(rows(completed, peak)).map(({ kept }) => kept)).toEqual(kept);
});

test.each([
  ['a quiet run', [], 10, 3.9, 1],
  ['a loaded machine', [], 10, 4.1, 1],
  ['a late rig', [], 501, 1, 2],
  ['a blind witness', ['room'], 10, 1, 2],
])('%s', (name, blind, stoodStillMs, load, lines) => {
  const said = doubts({ blind, stoodStillMs }, load);
  expect(said).toHaveLength(lines);
  expect(said[0]?.includes('says nothing')).toBe(name === 'a loaded machine');
});

test('the table stands in columns', () => {
  const lines = table(rows(95, 132)).split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/network +client +sessions +completed +peak/);
  expect(lines[2]).toMatch(/^ {2}all +ours +1 +95\.0 % +132 +300 +0\.0 s +0\.0 %( +·){5}$/);
});

test('a peak is what was open at a time, also of all together', () => {
  const all = new Peak();
  const [one, two] = [new Peak(all), new Peak(all)];
  for (const [peak, change] of [[one, 1], [two, 1], [one, -1], [one, 1], [one, -1], [two, -1]] as const) peak.count(change);
  expect(one).toMatchObject({ open: 0, most: 1, total: 2 });
  expect(all).toMatchObject({ open: 0, most: 2, total: 3 });
});
