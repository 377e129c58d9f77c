// Whatever a server says, an application gets the kinds that the types name.

import { expect, test } from 'vitest';
import * as read from '../src/read.js';
import { isStyle } from '../src/sender.js';

test('a field at its default is left out on the wire, and there for the application', () => {
  expect(read.message({ id: '1' })).toEqual({
    id: '1',
    at: 0,
    user: undefined,
    text: '',
    kind: 'chat',
    color: undefined,
    position: 'scroll',
    size: 'normal',
    event: undefined,
    data: undefined,
    edited: false,
  });
  expect(read.mode({ slow_ms: 5, followers_min_s: 6 })).toEqual({
    slowMs: 5,
    levelMin: 0,
    followersMinS: 6,
    emoteOnly: false,
    emergency: false,
    delayMs: 0,
  });
  expect(read.verdict({ client_id: 'c', id: '1', retry_after_ms: 7 })).toMatchObject({
    clientId: 'c',
    verdict: 'passed',
    retryAfterMs: 7,
  });
});

test('a verdict is passed where it is left out, and unknown where it is no word', () => {
  const word = (verdict: unknown) => read.verdict({ id: '1', verdict }).verdict;
  expect([undefined, 'held', 'a later one'].map(word)).toEqual(['passed', 'held', 'a later one']);
  for (const value of [null, 5, '', {}]) expect(word(value), JSON.stringify(value)).toBe('unknown');
});

test('fields of a wrong kind read as their default', () => {
  const nonsense = [null, true, 1, NaN, 'x', [], {}, [{}], { id: 5 }];
  for (const value of nonsense) {
    const message = read.message({
      id: '1',
      at: value,
      user: value,
      text: value,
      kind: value,
      color: value,
      position: value,
      size: value,
      edited: value,
    });
    expect(message).toMatchObject({
      kind: 'chat',
      color: undefined,
      position: 'scroll',
      size: 'normal',
      user: undefined,
    });
    expect(typeof message?.at).toBe('number');
    expect(typeof message?.text).toBe('string');
    expect(message?.edited).toBe(value === true);
    expect(read.user(value)).toBeUndefined();
    expect(read.message(value)).toBeUndefined();
    for (const one of [read.mode, read.hello, read.verdict, read.gap, read.recall, read.trouble, read.pong])
      expect(one(value)).toBeTypeOf('object');
  }
});

test('a name that every object has is no field', () => {
  expect(read.user(JSON.parse('{"id":"u","__proto__":{"name":"x"},"constructor":{"name":"y"}}'))).toEqual({
    id: 'u',
    name: '',
    level: 0,
    badges: [],
  });
});

test('a style is one that the door reads', () => {
  const rows = [
    [{}, true],
    [{ color: '#FF8800', position: 'top', size: 'large' }, true],
    [{ color: undefined }, true],
    [{ color: 'red' }, false],
    [{ color: '#ff880' }, false],
    [{ position: 'left' }, false],
    [{ size: 3 }, false],
    [{ weight: 'bold' }, false],
    [{ toString: 'x' }, false],
  ] as const;
  for (const [style, isOne] of rows) expect(isStyle(style), JSON.stringify(style)).toBe(isOne);
});
