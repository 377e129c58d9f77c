// Nobody reads of a goal before it falls.

import { expect, test } from 'vitest';
import { Delay, pictureTime } from '../src/delay.js';
import { message as read } from '../src/read.js';
import type { Message } from '../src/types.js';

const at = (at: number): Message => {
  const message = read({ id: `m${at}`, at });
  if (!message) throw new Error('no message');
  return { ...message, replay: false, own: false };
};
const ids = (messages: Message[]) => messages.map(({ id }) => id);

test('what is ahead of the picture waits for it, in the order of the room', () => {
  const delay = new Delay();
  for (const one of [100, 300, 200]) delay.add(at(one), 1_000);
  expect(ids(delay.due(null, 0, 99))).toEqual([]);
  expect(ids(delay.due(null, 750, 1_000))).toEqual(['m100', 'm200']);
  expect([delay.size, ids(delay.due(() => 300, 0, 9_000)), delay.size]).toEqual([1, ['m300'], 0]);
});

test('a picture that skips ahead makes history of what it skipped', () => {
  const delay = new Delay();
  for (const one of [1_000, 50_000, 60_000]) delay.add(at(one), 60_000);
  expect(delay.due(() => undefined, 0, 60_000).map(({ id, replay }) => [id, replay])).toEqual([
    ['m1000', true],
    ['m50000', true],
    ['m60000', false],
  ]);
});

test('a time in the future is none: it waits as one that was said now', () => {
  const delay = new Delay();
  delay.add(at(9e15), 500);
  expect([ids(delay.due(() => 1_000, 501, 500)), ids(delay.due(() => 1_000, 500, 500))]).toEqual([
    [],
    ['m9000000000000000'],
  ]);
});

test('a time that is none is no time: the clock is followed, without a delay', () => {
  const delay = new Delay();
  for (const one of [100, 200, 900]) delay.add(at(one), 1_000);
  expect(ids(delay.due(() => NaN, 900, 1_000))).toEqual(['m100']);
  expect(ids(delay.due({ currentTime: NaN, seekable: { length: 1, end: () => 5 } }, 800, 1_000))).toEqual(['m200']);
  expect(ids(delay.due(null, NaN, 1_000))).toEqual(['m900']);
});

test('what is taken back while it waits never comes', () => {
  const delay = new Delay();
  for (const one of [1, 2]) delay.add(at(one), 9);
  delay.remove(({ id }) => id === 'm1');
  expect(ids(delay.due(null, 0, 9))).toEqual(['m2']);
});

test('a paused picture fills no memory: the oldest go, counted', () => {
  const delay = new Delay();
  let dropped = 0;
  for (let one = 0; one < 12_345; one += 1) dropped += delay.add(at(one), 20_000);
  expect([dropped, delay.size, delay.due(() => 345, 0, 20_000)[0]?.id]).toEqual([345, 12_000, 'm345']);
});

test('where the picture is: by the dates of the stream, else by the distance to the live edge, else nowhere', () => {
  const seekable = (end?: number) => ({ length: end === undefined ? 0 : 1, end: () => end ?? 0 });
  const rows = [
    [() => 77, 77],
    [() => undefined, undefined],
    [{ currentTime: 10, seekable: seekable(30), getStartDate: () => new Date(5_000) }, 15_000],
    [{ currentTime: 10, seekable: seekable(30), getStartDate: () => new Date(NaN) }, 80_000],
    [{ currentTime: 10, seekable: seekable(30) }, 80_000],
    [{ currentTime: 31, seekable: seekable(30) }, 100_000],
    [{ currentTime: 0, seekable: seekable() }, undefined],
    [{ currentTime: 10, seekable: seekable(Infinity) }, undefined],
  ] as const;
  for (const [picture, time] of rows) expect(pictureTime(picture, 100_000)).toBe(time);
});
