import { expect, test } from 'vitest';
import { clockTime, density, thinned, upTo, widthOf, type Row } from '../rows';

const row = (at: number, kind: Row['kind'] = 'chat'): Row => ({ at, kind, name: '', text: 'x', position: 'scroll', size: 'normal' });

test.each([
  [[], 5, 0],
  [[1, 2, 2, 3], 0.9, 0],
  [[1, 2, 2, 3], 2, 3],
  [[1, 2, 2, 3], 9, 4],
])('of %j, by %d s %d were shown', (times, second, expected) => {
  expect(upTo(times.map((at) => row(at)), second)).toBe(expected);
});

test('chat takes a lane or does not fly; everything else flies', () => {
  const rows = [row(0), row(0.1), row(0.2), row(0.3, 'gift'), row(0.4, 'super'), row(0.9), row(1), row(1.05), row(1.2), row(5)];
  expect(thinned(rows, 2, () => 1).map(({ at }) => at)).toEqual([0, 0.1, 0.3, 0.4, 1, 1.2, 5]);
  const held: Row = { ...row(0.2), position: 'top' };
  expect(thinned([row(0), row(0.1), held], 1, () => 1)).toEqual([row(0), held]);
  expect(thinned(Array.from({ length: 8 }, () => held), 8, () => 1)).toHaveLength(2);
});

test('no two lines are ever in a lane at once', () => {
  const rows = Array.from({ length: 500 }, (_, number) => row(Math.sqrt(number) / 3));
  const flown = thinned(rows, 4, ({ at }) => 0.5 + (at % 1));
  for (const { at } of flown) expect(flown.filter((one) => one.at <= at && one.at + 0.5 + (one.at % 1) > at).length).toBeLessThanOrEqual(4);
  expect(flown.length).toBeGreaterThan(20);
});

test.each([
  ['abc', 'normal', 1.68],
  ['弹幕', 'normal', 2],
  ['弹幕', 'large', 2.8],
] as const)('%s in %s is %d high letters wide', (text, size, expected) => {
  expect(widthOf({ ...row(0), text, size })).toBeCloseTo(expected);
});

test('density is the share of the busiest part; what is outside counts at the edge', () => {
  expect(density([row(0), row(1), row(5), row(99)], 10, 2)).toEqual([1, 1]);
  expect(density([row(0), row(1), row(6)], 10, 2)).toEqual([1, 0.5]);
  expect(density([], 10, 2)).toEqual([0, 0]);
});

test.each([
  [0, '0:00'],
  [65.9, '1:05'],
  [3723, '1:02:03'],
  [-4, '0:00'],
])('%d s is %s', (seconds, expected) => expect(clockTime(seconds)).toBe(expected));
