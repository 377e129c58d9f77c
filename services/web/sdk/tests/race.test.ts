// A weak network's line: who gets company and when, which one counts, and whose end is the end.

import { beforeEach, expect, test } from 'vitest';
import type { Ask, Ears, Frame, Line } from '../src/line.js';
import { ANSWER_MS, HELLO_MS, LATE_MAX, race } from '../src/race.js';
import { World } from './fake.js';

interface Opened extends Line {
  ears: Ears;
  said: Frame[];
  isLeft: boolean;
}

let world: World;
let opened: Opened[];
let heard: Frame[];
let ends: [number, string][];
let line: Line;

const hello = { type: 'hello' };
const at = (index: number) => opened[index] as Opened;
const open = () => opened.map(({ isLeft }, index) => (isLeft ? -1 : index)).filter((index) => index >= 0);

beforeEach(() => {
  world = new World();
  opened = [];
  heard = [];
  ends = [];
  const fake = (_: Ask, ears: Ears): Line => {
    const one: Opened = { ears, said: [], isLeft: false, say: (frame) => one.said.push(frame), close: () => (one.isLeft = true) };
    opened.push(one);
    return one;
  };
  const ask = { env: world.env, url: '', room: 'demo', token: null, order: { cursor: undefined } } as Ask;
  line = race(fake)(ask, {
    frame: (frame) => heard.push(frame),
    alive: () => {},
    bad: () => {},
    closed: (code, reason) => ends.push([code, reason]),
  });
});

test('one that says hello in time stays alone', async () => {
  at(0).ears.frame(hello);
  await world.pass(60_000);
  expect(opened).toHaveLength(1);
  expect(heard).toEqual([hello]);
});

test('one that hangs gets company, and the last to say hello is the one', async () => {
  await world.pass(2 * HELLO_MS);
  expect(open()).toEqual([0, 1, 2]);
  at(1).ears.frame(hello);
  at(2).ears.frame({ type: 'batch' });
  expect(heard).toEqual([hello]);
  at(2).ears.frame(hello);
  expect(open()).toEqual([0, 2]);
  await world.pass(60_000);
  expect(opened).toHaveLength(3);
});

test('never more than so many at a time: the eldest makes room', async () => {
  await world.pass(20 * HELLO_MS);
  expect(open()).toHaveLength(LATE_MAX);
  expect(open().at(-1)).toBe(opened.length - 1);
});

test('a ping that is not answered gets company; what answers after all is heard', async () => {
  at(0).ears.frame(hello);
  line.say({ type: 'ping' });
  await world.pass(ANSWER_MS);
  expect(open()).toEqual([0, 1]);
  at(0).ears.frame({ type: 'pong' });
  await world.pass(10 * HELLO_MS);
  expect(open()).toEqual([0, 1]);
  expect(heard.at(-1)).toEqual({ type: 'pong' });
});

test('a ping that is answered costs nothing', async () => {
  at(0).ears.frame(hello);
  line.say({ type: 'ping' });
  await world.pass(ANSWER_MS - 1);
  at(0).ears.frame({ type: 'pong' });
  await world.pass(60_000);
  expect(opened).toHaveLength(1);
});

test('whoever takes over says again what is not answered, while the judge knows a repeat', async () => {
  const says = (id: string) => line.say({ type: 'send', client_id: id });
  at(0).ears.frame(hello);
  says('old');
  await world.pass(50_000);
  says('answered');
  at(0).ears.frame({ type: 'ack', client_id: 'answered' });
  says('lost');
  line.say({ type: 'ping' });
  await world.pass(ANSWER_MS);
  at(1).ears.frame(hello);
  expect(open()).toEqual([1]);
  expect(at(1).said).toEqual([{ type: 'send', client_id: 'lost' }]);
});

test.each<[string, number, number]>([
  ['the last one ends', 1006, 1006],
  ['the server turns the viewer away', 4503, 4503],
  ['somebody else has the place', 4502, 4502],
])('%s, and so does all', (_, code, told) => {
  at(0).ears.frame(hello);
  at(0).ears.closed(code, 'why');
  expect(ends).toEqual([[told, 'why']]);
});

test('a late one that ends is not told, one that the server turns away is', async () => {
  await world.pass(HELLO_MS);
  at(0).ears.closed(1006, '');
  expect(ends).toEqual([]);
  at(1).ears.closed(4501, 'bad token');
  expect(ends).toEqual([[4501, 'bad token']]);
  await world.pass(60_000);
  expect(opened).toHaveLength(2);
});

test('where a late one has taken the place, it is waited for; where it is gone already, the line just ended', async () => {
  at(0).ears.frame(hello);
  line.say({ type: 'ping' });
  await world.pass(ANSWER_MS);
  at(0).ears.closed(4502, 'replaced');
  expect(ends).toEqual([]);
  at(1).ears.frame(hello);
  expect(heard).toEqual([hello, hello]);
  at(1).ears.closed(4502, 'replaced');
  expect(ends).toEqual([[1006, 'replaced']]);
});

test('closed, it leaves all, plans nothing and hears nothing', async () => {
  await world.pass(HELLO_MS);
  line.close();
  expect(open()).toEqual([]);
  at(0).ears.frame(hello);
  at(1).ears.closed(1006, '');
  await world.pass(60_000);
  expect([heard, ends, opened.length]).toEqual([[], [], 2]);
});
