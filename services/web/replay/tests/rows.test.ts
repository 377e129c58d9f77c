import { expect, test } from 'vitest';
import { clockTime, density, thinned, upTo, type Row } from '../rows';

const row = (at: number, kind: Row['kind'] = 'chat'): Row => ({ at, kind, name: '', text: 'x', position: 'scroll', size: 'normal' });

test.each([
  [[], 5, 0],
  [[1, 2, 2, 3], 0.9, 0],
  [[1, 2, 2, 3], 2, 3],
  [[1, 2, 2, 3], 9, 4],
])('of %j, by %d s %d were shown', (times, second, expected) => {
  expect(upTo(times.map((at) => row(at)), second)).toBe(expected);
});

test('too much chat of one second is thinned, and nothing else', () => {
  const rows = [row(0), row(0.1), row(0.2), row(0.3, 'gift'), row(0.4, 'super'), row(1), row(1.9), row(5)];
  expect(thinned(rows, 2).map(({ at }) => at)).toEqual([0, 0.1, 0.3, 0.4, 1, 1.9, 5]);
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
