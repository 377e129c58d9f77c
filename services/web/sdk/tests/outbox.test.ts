// What was said goes out once on each line, with one client_id, and ends with an answer or its age.

import { expect, test } from 'vitest';
import { Outbox } from '../src/outbox.js';

test('it waits for a line, goes out once, and again only on the next line', () => {
  const outbox = new Outbox<string>();
  outbox.add('a', 'one', 0);
  outbox.add('b', 'two', 5);
  expect([outbox.due(10), outbox.due(11)]).toEqual([['one', 'two'], []]);
  expect(outbox.answer('a', '', undefined, 20)).toBe('one');
  outbox.resume(1_000);
  expect([outbox.due(1_000), outbox.due(1_001)]).toEqual([['two'], []]);
});

test('eight wait, the ninth is refused, and an answer makes room', () => {
  const outbox = new Outbox<number>();
  expect(Array.from({ length: 9 }, (_, one) => outbox.add(`${one}`, one, 0))).toEqual([...Array(8).fill(true), false]);
  outbox.answer('3', '', undefined, 1);
  expect(outbox.add('9', 9, 1)).toBe(true);
});

test('`unavailable` is no answer: the same is asked again when the door says, while there is time', () => {
  const outbox = new Outbox<string>();
  outbox.add('a', 'one', 0);
  outbox.due(0);
  expect(outbox.answer('a', 'unavailable', 2_000, 100)).toBeUndefined();
  expect([outbox.due(2_099), outbox.due(2_100)]).toEqual([[], ['one']]);
  expect(outbox.answer('a', 'unavailable', 2_000, 28_500)).toBe('one');
  expect(outbox.size).toBe(0);
});

test('a refusal is an answer, an answer to nobody is none', () => {
  const outbox = new Outbox<string>();
  outbox.add('a', 'one', 0);
  expect([
    outbox.answer('x', '', undefined, 1),
    outbox.answer('a', 'rate_limited', 500, 1),
    outbox.answer('a', '', undefined, 1),
  ]).toEqual([undefined, 'one', undefined]);
});

test('an answer that was lost on a line that lives is asked for again', () => {
  const outbox = new Outbox<string>();
  outbox.add('a', 'one', 0);
  outbox.due(0);
  expect([outbox.due(9_999), outbox.due(10_000)]).toEqual([[], ['one']]);
});

test('too old: `expired` if it never left, `unknown` if it may have been heard', () => {
  const outbox = new Outbox<string>(30_000);
  outbox.add('a', 'one', 0);
  outbox.due(0);
  outbox.add('b', 'two', 1_000);
  expect(outbox.end('expired', 30_000)).toEqual([]);
  expect(outbox.end('expired', 30_001)).toEqual([{ what: 'one', code: 'unknown' }]);
  expect(outbox.end('expired', 31_001)).toEqual([{ what: 'two', code: 'expired' }]);
});

test('who waits for no line still waits for the answer, and says nothing twice', () => {
  const outbox = new Outbox<string>(0);
  outbox.add('a', 'one', 0);
  expect([outbox.end('expired', 0), outbox.due(0)]).toEqual([[], ['one']]);
  expect(outbox.end('expired', 9_999)).toEqual([]);
  expect([outbox.end('expired', 10_000), outbox.due(10_000)]).toEqual([[{ what: 'one', code: 'unknown' }], []]);
  outbox.add('b', 'two', 20_000);
  expect(outbox.end('expired', 20_001)).toEqual([{ what: 'two', code: 'expired' }]);
});

test('the end of it all ends what waits', () => {
  const outbox = new Outbox<string>();
  outbox.add('a', 'one', 0);
  expect([outbox.end('closed'), outbox.size]).toEqual([[{ what: 'one', code: 'closed' }], 0]);
});
