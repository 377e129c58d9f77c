// What goes over a slow link comes in order and not before its time.

import { expect, test } from 'vitest';
import { Delay } from '../delay.js';

const arrived = (delay: Delay<string>, now: number) => {
  const items: string[] = [];
  for (let item = delay.take(now); item !== undefined; item = delay.take(now)) items.push(item);
  return items;
};

test('each arrives when it is due', () => {
  const delay = new Delay<string>(100);
  delay.push('a', 0);
  delay.push('b', 50);
  expect(delay.next).toBe(100);
  expect(arrived(delay, 99)).toEqual([]);
  expect(arrived(delay, 100)).toEqual(['a']);
  expect(delay.next).toBe(150);
  expect(arrived(delay, 1_000)).toEqual(['b']);
  expect(delay.next).toBe(Infinity);
});

test('nothing overtakes what was sent later on the clock but earlier in the line', () => {
  const delay = new Delay<string>(100);
  delay.push('late', 500);
  delay.push('next', 10);
  expect(arrived(delay, 200)).toEqual([]);
  expect(arrived(delay, 600)).toEqual(['late', 'next']);
});

test('what is cleared never arrives', () => {
  const delay = new Delay<string>(100);
  delay.push('a', 0);
  delay.clear();
  expect(arrived(delay, 1_000)).toEqual([]);
});
