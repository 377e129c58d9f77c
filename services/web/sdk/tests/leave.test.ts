// Who leaves is gone, also when he leaves from inside of what he is told: no timer, no socket, no word afterwards.

import { expect, test, vi } from 'vitest';
import type { Events, Options } from '../src/types.js';
import { World, batch, diary, helloOf, said, settled } from './fake.js';

/** Each moment at which an application may have had enough, and what brings it about. */
const MOMENTS: [name: keyof Events, kind: string, options: Partial<Options>, bring: (world: World) => void][] = [
  ['state', 'connecting', {}, () => {}],
  ['state', 'live', {}, (world) => world.socket.says(helloOf(world.now))],
  ['state', 'waiting', {}, (world) => world.socket.ends(1006)],
  ['state', 'stopped', {}, (world) => world.socket.ends(4503)],
  ['stopped', 'stopped', {}, (world) => world.socket.ends(4503)],
  ['hello', '', {}, (world) => world.socket.says(helloOf(world.now))],
  ['mode', '', {}, (world) => world.socket.says(helloOf(world.now))],
  ['error', '', { token: () => Promise.reject(new Error('away')) }, () => {}],
  ['error', '', {}, (world) => world.socket.says(helloOf(world.now), [])],
  ['message', '', {}, (world) => world.socket.says(helloOf(world.now), batch('1-0-11-11', said('1-0-11')))],
];

test('closed from inside a listener, it stays closed, and leaves no timer and no socket behind', async () => {
  for (const [name, kind, options, bring] of MOMENTS) {
    const world = new World();
    const room = world.room(options);
    let left = 0;
    room.on(name, (event) => {
      if (kind && (event as { kind: string }).kind !== kind) return;
      left += 1;
      room.close();
    });
    room.connect();
    await world.pass(300);
    bring(world);
    await world.pass(3_600_000);
    const what = `${name} ${kind}`;
    expect([what, left]).toEqual([what, 1]);
    expect([what, room.state.kind, world.timers, world.isWatched]).toEqual([what, 'idle', 0, false]);
    expect(world.sockets.filter(({ readyState }) => readyState === 1), what).toEqual([]);
  }
});

test('asked to come back from inside a listener, there is one line and one life', async () => {
  const world = new World();
  const room = await world.live();
  const off = room.on('state', ({ kind }) => {
    if (kind !== 'waiting') return;
    off();
    room.reconnect();
  });
  world.socket.ends(1006);
  await settled();
  expect([world.sockets.length, room.state.kind]).toEqual([2, 'connecting']);
  world.socket.says(helloOf(world.now));
  for (let passed = 0; passed < 60_000; passed += 1_000) {
    world.socket.says({ type: 'pong' });
    await world.pass(1_000);
  }
  expect([world.sockets.length, room.state.kind]).toEqual([2, 'live']);
});

test('what waited for its picture is not told to who left, and no timer looks after it', async () => {
  const world = new World();
  const room = await world.live({ delayMs: 5_000 });
  const told = diary(room, 'message');
  world.socket.says(batch('1-0-11-11', said('1-0-11', { at: world.now })));
  await vi.dynamicImportSettled();
  await world.pass(1_000);
  room.close();
  await world.pass(60_000);
  expect([told.length, world.timers]).toEqual([0, 0]);
  room.connect();
  await world.pass(300);
  world.socket.says(helloOf(world.now));
  await world.pass(1_000);
  expect(told.map(({ id, replay }) => [id, replay])).toEqual([['1-0-11', true]]);
});

test('who leaves in the middle of a batch hears no more of it', async () => {
  const world = new World();
  const room = await world.live();
  const told = diary(room, 'message');
  room.on('message', () => room.close());
  world.socket.says(batch('1-0-13-13', said('1-0-11'), said('1-0-12'), said('1-0-13')));
  expect(told).toHaveLength(1);
  room.connect();
  await world.pass(300);
  expect(world.socket.url.searchParams.get('since')).toBe('1-0-10-10');
});
