// Each message once, and a place that never moves back.

import { expect, test } from 'vitest';
import { Order } from '../src/order.js';

test('a message is new once, and that of a river built anew is another', () => {
  const order = new Order();
  const taken = [
    order.take('1-0-7', 100),
    order.take('1-0-7', 100),
    order.take('1-0-7', 900),
    order.take('1-0-8', 100),
  ];
  expect([taken, order.repeats, order.has('1-0-7'), order.has('1-0-9')]).toEqual([
    [true, false, true, true],
    1,
    true,
    false,
  ]);
});

test('memory is bounded: the oldest id gives way, the newest 16,384 are known', () => {
  const order = new Order();
  for (let at = 0; at < 20_000; at += 1) order.take(`1-0-${at}`, at);
  expect(order.has('1-0-3615')).toBe(false);
  expect(order.has('1-0-3616')).toBe(true);
});

test('a cursor moves on, and what is none or behind moves nothing', () => {
  const order = new Order();
  const rows = [
    ['1-0-5-10', '1-0-5-10'],
    ['1-0-6-11', '1-0-6-11'],
    ['1-0-2-9', '1-0-6-11'],
    ['', '1-0-6-11'],
    [7, '1-0-6-11'],
    [null, '1-0-6-11'],
    [undefined, '1-0-6-11'],
    ['x'.repeat(201), '1-0-6-11'],
    ['2-0-0-1', '2-0-0-1'], // another generation
    ['of a later release', 'of a later release'],
    ['and its next', 'and its next'],
  ];
  for (const [cursor, place] of rows) {
    order.move(cursor);
    expect(order.cursor, String(cursor)).toBe(place);
  }
});

test("a hello's cursor counts on the first, and where nothing will be replayed", () => {
  const order = new Order();
  const rows = [
    ['1-0-5-10', undefined, '1-0-5-10'],
    ['1-0-9-20', true, '1-0-5-10'],
    ['1-0-9-20', undefined, '1-0-5-10'],
    ['1-0-1-1', false, '1-0-1-1'],
    [5, false, '1-0-1-1'],
  ];
  for (const [cursor, recovered, place] of rows) {
    order.hello(cursor, recovered);
    expect(order.cursor, `${cursor} ${recovered}`).toBe(place);
  }
});
