// The connection's life against a server that only this file plays, on a clock that it moves.

import { expect, test } from 'vitest';
import { World, batch, diary, helloOf, kinds, said, settled } from './fake.js';

test('it comes in at a random first moment, with its token, and is live with the hello', async () => {
  const world = new World();
  const room = world.room({ token: 't' });
  const told = kinds(room);
  room.connect();
  room.connect();
  await world.pass(149);
  expect(world.sockets).toHaveLength(0);
  await world.pass(1);
  expect([world.sockets.length, world.socket.url.href, world.socket.protocols]).toEqual([
    1,
    'wss://live.example/v1/rooms/demo/live',
    ['danmaku.v1.json', 'bearer.t'],
  ]);
  world.socket.says(helloOf(world.now));
  expect([told, room.user?.id, room.canSend]).toEqual([['connecting', 'live'], 'me', true]);
});

test('a socket that accepts and says nothing is given up after 10 s', async () => {
  const world = new World();
  const room = await world.open();
  await world.pass(9_849);
  expect(room.state.kind).toBe('connecting');
  await world.pass(1);
  expect(room.state).toMatchObject({ kind: 'waiting', code: 1006, reason: 'no hello in time' });
  expect(world.socket.readyState).toBe(3);
});

test('a token that never comes is given up as well', async () => {
  const world = new World();
  const room = world.room({ token: () => new Promise(() => {}) });
  const errors = diary(room, 'error');
  room.connect();
  await world.pass(300);
  await world.pass(10_000);
  expect(room.state).toMatchObject({ kind: 'waiting', reason: 'no token in time' });
  expect([world.sockets.length, errors]).toEqual([0, [{ code: 'token', message: 'no token in time' }]]);
});

test('a slow token leaves the hello its own 10 s', async () => {
  const world = new World();
  const room = await world.open({ token: () => new Promise((settle) => world.env.timer?.(8_000, () => settle('t'))) });
  await world.pass(8_000 + 9_000);
  expect([world.sockets.length, room.state.kind]).toEqual([1, 'connecting']);
  await world.pass(1_000);
  expect(room.state).toMatchObject({ kind: 'waiting', reason: 'no hello in time' });
});

test('what an older attempt still had in flight opens nothing', async () => {
  const world = new World();
  const tokens: ((token: string) => void)[] = [];
  const room = await world.open({ token: () => new Promise((settle) => tokens.push(settle)) });
  room.reconnect();
  await settled();
  tokens[0]?.('old');
  tokens[1]?.('new');
  await settled();
  expect(world.sockets.map(({ protocols }) => protocols[1])).toEqual(['bearer.new']);
  room.reconnect();
  room.close();
  tokens[2]?.('late');
  await settled();
  expect([world.sockets.length, room.state.kind]).toEqual([1, 'idle']);
});

test('a token that cannot be had is said, and asked for again', async () => {
  const world = new World();
  let asked = 0;
  const room = world.room({
    token: () => {
      asked += 1;
      if (asked < 3) throw new Error('away');
      return 't';
    },
  });
  const errors = diary(room, 'error');
  room.connect();
  await world.pass(2_000);
  expect([errors.map(({ code }) => code), asked, world.sockets.length]).toEqual([['token', 'token'], 3, 1]);
});

test('it comes back with its cursor, by backoff, and an older line is not heard any more', async () => {
  const world = new World();
  const room = await world.live();
  const messages = diary(room, 'message');
  const [old] = world.sockets;
  old?.says(batch('1-0-11-11', said('1-0-10')), batch(undefined, said('1-0-10')), { type: 'verdict' });
  old?.ends(1006);
  await world.pass(399);
  expect(world.sockets).toHaveLength(1);
  await world.pass(1);
  expect([world.sockets.length, world.socket.url.searchParams.get('since')]).toEqual([2, '1-0-11-11']);
  old?.says(batch('1-0-12-12', said('1-0-11')));
  expect(messages).toHaveLength(1);
});

test('on a resume the cursor stays behind what is still to be replayed', async () => {
  const world = new World();
  await world.live();
  world.socket.ends(1006);
  await world.pass(400);
  world.socket.says(helloOf(world.now, { cursor: '1-0-99-99', recovered: true }));
  world.socket.ends(1006);
  await world.pass(1_600);
  expect(world.socket.url.searchParams.get('since')).toBe('1-0-10-10');
  world.socket.says(helloOf(world.now, { cursor: '1-0-99-99', recovered: false }));
  world.socket.ends(1006);
  await world.pass(3_200);
  expect(world.socket.url.searchParams.get('since')).toBe('1-0-99-99');
});

test('the backoff starts anew only after a connection that lasted', async () => {
  const world = new World();
  world.random = 0.999_999;
  const room = await world.live();
  for (const ceiling of [800, 1_600, 3_200]) {
    world.socket.ends(1011);
    expect(room.state).toMatchObject({ kind: 'waiting', until: world.now + ceiling });
    await world.pass(ceiling);
    world.socket.says(helloOf(world.now));
    await world.pass(9_000);
  }
  await world.pass(1_000);
  world.socket.ends(1011);
  expect(room.state).toMatchObject({ kind: 'waiting', until: world.now + 800 });
});

test('two pings without an answer: it reconnects, and waits for no close', async () => {
  const world = new World();
  const room = await world.live();
  await world.pass(5_000);
  expect([room.state.kind, room.debug.missed, world.socket.sentOf('ping').length]).toEqual(['live', 1, 2]);
  await world.pass(5_000);
  expect([room.state.kind, room.debug.transitions.at(-1)?.why, world.socket.readyState]).toEqual([
    'waiting',
    'nothing heard',
    3,
  ]);
});

test('who speaks on a dead line learns it in 10 s, not at the next ping', async () => {
  const world = new World();
  const room = await world.live();
  for (let passed = 0; passed < 6_000; passed += 1_000) {
    await world.pass(1_000);
    world.socket.says({ type: 'pong' });
  }
  const before = world.socket.sentOf('ping').length;
  void room.send('is anybody there');
  expect(world.socket.sentOf('ping').length).toBe(before + 1);
  await world.pass(10_000);
  expect(room.debug.transitions.map(({ why }) => why)).toContain('nothing heard');
});

test('the moment that the server chose is kept, whether the close comes before it or not at all', async () => {
  for (const code of [1012, 1013, 1000, 1006, undefined]) {
    const world = new World();
    await world.live();
    world.socket.says({ type: 'reconnect', after_ms: 4_000, cursor: '1-0-20-20' });
    if (code) world.socket.ends(code);
    await world.pass(3_999);
    expect(world.sockets, `${code}: too early`).toHaveLength(1);
    await world.pass(1);
    expect([world.sockets.length, world.socket.url.searchParams.get('since')], `${code}`).toEqual([2, '1-0-20-20']);
  }
});

test('a restart without a wait brings it back at once, the second time by backoff', async () => {
  const world = new World();
  const room = await world.live();
  const told = kinds(room);
  world.socket.says({ type: 'reconnect' });
  world.socket.ends(1012);
  await settled();
  expect([world.sockets.length, told]).toEqual([2, ['connecting']]);
  world.socket.says(helloOf(world.now), { type: 'reconnect' });
  world.socket.ends(1012);
  await world.pass(799);
  expect(world.sockets).toHaveLength(2);
  await world.pass(1);
  expect(world.sockets).toHaveLength(3);
});

test('who is told to stay away stays away, says why, and comes back when asked to', async () => {
  for (const code of [1000, 1002, 1003, 1007, 1008, 1009, 1010, 4501, 4502, 4503, 4504, 4505, 4506, 4777, 4999]) {
    const world = new World();
    const room = await world.live({ token: 't' });
    const stopped = diary(room, 'stopped');
    world.socket.ends(code, 'because');
    await world.pass(3_600_000);
    expect([world.sockets.length, stopped]).toEqual([1, [{ kind: 'stopped', code, reason: 'because' }]]);
    expect(await room.send('x')).toMatchObject({ ok: false, code: 'stopped' });
    room.reconnect();
    await settled();
    expect([world.sockets.length, world.socket.url.searchParams.get('since')]).toEqual([2, '1-0-10-10']);
  }
});

test('an expired token is renewed first, then it comes back at once; a text cannot be renewed', async () => {
  const world = new World();
  const asked: boolean[] = [];
  await world.live({ token: ({ renew }) => (asked.push(renew), `t${asked.length}`) });
  world.socket.ends(4005);
  await settled();
  expect([asked, world.socket.protocols[1]]).toEqual([[false, true], 'bearer.t2']);
  const fixed = await new World().live({ token: 't' });
  expect(fixed.state.kind).toBe('live');
});

test('an expired text stops', async () => {
  const world = new World();
  const room = await world.live({ token: 't' });
  world.socket.ends(4005, 'token expired');
  expect(room.state).toEqual({ kind: 'stopped', code: 4005, reason: 'token expired' });
});

test('a refused token is renewed once, because a restarted server has other keys', async () => {
  const world = new World();
  const asked: boolean[] = [];
  const room = await world.live({ token: ({ renew }) => (asked.push(renew), 't') });
  world.socket.ends(4501);
  await settled();
  expect([asked, room.state.kind]).toEqual([[false, true], 'connecting']);
  world.socket.ends(4501, 'bad');
  await world.pass(60_000);
  expect([asked.length, room.state.kind]).toEqual([2, 'stopped']);
});

test('a token is renewed before it ends, on the line that is', async () => {
  const world = new World();
  let tokens = 0;
  await world.live({ token: () => `t${++tokens}` }, { expires: world.now + 300 + 100_000 });
  const answer = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      await world.pass(1_000);
      world.socket.says({ type: 'pong' });
    }
  };
  await answer(54_000);
  expect(world.socket.sentOf('refresh')).toEqual([]);
  await answer(2_000);
  expect(world.socket.sentOf('refresh')).toEqual([{ type: 'refresh', token: 't2' }]);
  world.socket.says(helloOf(world.now, { expires: world.now + 1e6 }));
  await answer(60_000);
  expect([world.socket.sentOf('refresh').length, world.sockets.length]).toEqual([1, 1]);
});

test('offline drops the line and waits; online comes back at once, with the attempts forgotten', async () => {
  const world = new World();
  const room = await world.live();
  world.socket.ends(1006);
  await world.pass(400);
  await world.news('offline');
  expect([room.state, world.socket.readyState]).toMatchObject([{ kind: 'waiting', reason: 'offline' }, 3]);
  await world.pass(5_000);
  expect(world.sockets).toHaveLength(2);
  await world.news('online');
  expect([world.sockets.length, room.state.kind, room.debug.attempts]).toEqual([3, 'connecting', 1]);
});

test('another network: the old line is dead, whatever it says', async () => {
  const world = new World();
  await world.live();
  await world.news('changed');
  expect([world.sockets.length, world.sockets[0]?.readyState]).toEqual([2, 3]);
});

test('a network that comes and goes a hundred times a second makes few connections, and ends connected', async () => {
  const world = new World();
  const room = await world.live();
  for (let turn = 0; turn < 300; turn += 1) {
    await world.news(turn % 2 ? 'online' : 'offline');
    await world.pass(10);
  }
  await world.pass(1_000);
  expect(world.sockets.length).toBeLessThanOrEqual(1 + 2 * 4);
  world.socket.says(helloOf(world.now));
  expect(room.state.kind).toBe('live');
});

test('shown: the line is asked at once and must answer once', async () => {
  const world = new World();
  const room = await world.live();
  for (let passed = 0; passed < 20_000; passed += 1_000) {
    await world.pass(1_000);
    world.socket.says({ type: 'pong' });
  }
  await world.news('hidden');
  const before = world.socket.sentOf('ping').length;
  await world.news('shown');
  expect(world.socket.sentOf('ping').length).toBe(before + 1);
  await world.pass(5_000);
  expect(room.state.kind).toBe('waiting');
  await world.news('shown');
  expect(room.state.kind).toBe('connecting');
});

test('close leaves nothing behind, and connect comes in again', async () => {
  const world = new World();
  const room = await world.live();
  room.close();
  expect([room.state.kind, world.socket.readyState, world.timers, world.isWatched]).toEqual(['idle', 3, 0, false]);
  await world.pass(3_600_000);
  expect(world.sockets).toHaveLength(1);
  room.connect();
  await world.pass(300);
  expect([world.sockets.length, world.isWatched]).toEqual([2, true]);
});

test('what cannot even be asked for stops, and says why', async () => {
  const rows = [
    [{ env: { WebSocket: undefined } }, /no WebSocket/],
    [{ url: 'not a url' }, /Invalid URL/],
    [
      {
        env: {
          WebSocket: class {
            constructor() {
              throw new SyntaxError('bad subprotocol');
            }
          } as never,
        },
      },
      /bad subprotocol/,
    ],
  ] as const;
  for (const [options, why] of rows) {
    const world = new World();
    const room = await world.open(options);
    expect(room.state).toMatchObject({ kind: 'stopped', reason: expect.stringMatching(why) as string });
  }
});

test('an hour of a server that is away: attempts are counted, and bounded by the cap', async () => {
  const world = new World();
  const room = await world.open();
  let seed = 1;
  const end = world.now + 3_600_000;
  while (world.now < end) {
    seed = (seed * 16_807) % 2_147_483_647;
    world.random = seed / 2_147_483_647;
    if (room.state.kind === 'connecting') world.socket.ends(1006);
    await world.pass(50);
  }
  // Half of the cap of 30 s on average: 240, and a few while it grew.
  expect(world.sockets.length).toBeGreaterThan(180);
  expect(world.sockets.length).toBeLessThan(320);
  expect(room.debug.attempts).toBe(world.sockets.length);
  expect(room.debug.transitions).toHaveLength(50);
}, 30_000);
