// A server that misbehaves in every way we could think of: the client says what happened, never throws, never spins,
// and goes on where that makes sense.

import { afterEach, expect, test, vi } from 'vitest';
import { Danmaku } from '../src/index.js';
import type { Options } from '../src/types.js';
import { BadServer, until, world, type Client } from './bad-server.js';
import { World, batch, diary, helloOf, said } from './fake.js';

vi.setConfig({ testTimeout: 60_000 });

/** What is about waiting runs a hundred times faster; what is about frames has all the time there is. */
const quick = () => ({ env: world(100) });

const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

async function bad(answer: (client: Client, turn: number) => void, options: Partial<Options> = {}) {
  const server = await BadServer.start(answer);
  const room = new Danmaku({ url: server.url, room: 'demo', env: world(1), ...options });
  const heard = {
    errors: diary(room, 'error'),
    gaps: diary(room, 'gap'),
    messages: diary(room, 'message'),
    states: diary(room, 'state'),
  };
  ends.push(
    () => server.end(),
    () => room.close(),
  );
  room.connect();
  return { server, room, ...heard };
}

const hello = helloOf(1_700_000_000_000);
const good = batch('1-0-50-50', said('1-0-49'));

/**
 * What the office profile can do at most in so many seconds of failing: 0.8, 1.6, 3.2 … 30 s, each cut anywhere, and
 * one lucky draw after another.
 */
const ATTEMPTS_MAX = 25;

test('frames that are none, types that nobody knows: each is said, and the next is read', async () => {
  const { messages, errors, gaps, room } = await bad((client) =>
    client
      .upgrade()
      .says(
        hello,
        '{broken',
        '',
        'null',
        '5',
        '[]',
        '{"type":7}',
        { type: 'hologram', cursor: 5 },
        { type: 'batch' },
        { type: 'batch', messages: {} },
        batch(undefined, {}),
        good,
      ),
  );
  await until('the good message', () => messages.length > 0);
  expect(errors.map(({ code }) => code)).toEqual([...Array<string>(6).fill('bad_frame'), 'unknown_type', 'bad_frame']);
  expect([gaps.length, gaps[0]?.reason, room.state.kind]).toEqual([6, 'unreadable', 'live']);
});

test('bytes on the JSON wire, text on the protobuf wire', async () => {
  const onJson = await bad((client) =>
    client
      .upgrade()
      .says(hello)
      .frame(2, Buffer.from([1, 2, 3]))
      .says(good),
  );
  await until('the good message', () => onJson.messages.length > 0);
  expect(onJson.errors.map(({ code }) => code)).toEqual(['bad_frame']);
  const onProto = await bad(
    (client) =>
      client
        .upgrade()
        .says(hello)
        .frame(2, Buffer.from('ff'.repeat(20), 'hex')),
    { wire: 'proto' },
  );
  await until('both are said', () => onProto.errors.length >= 2);
  expect(onProto.errors.map(({ code }) => code)).toEqual(['bad_frame', 'bad_frame']);
});

test('a frame of 10 MB is not read, and is a gap', async () => {
  const { messages, errors, gaps } = await bad((client) =>
    client.upgrade().says(hello, batch('1-0-40-40', said('1-0-39', { text: 'x'.repeat(10 * 2 ** 20) })), good),
  );
  await until('the good message', () => messages.length > 0);
  expect([messages.map(({ id }) => id), errors.map(({ code }) => code), gaps.length]).toEqual([
    ['1-0-49'],
    ['frame_too_large'],
    1,
  ]);
});

test('a wrong cursor moves nothing: it comes back from the last good one', async () => {
  const wrong = [5, null, {}, '', 'x'.repeat(10_000), '1-0-1-1'].map((cursor) => ({
    type: 'batch',
    cursor,
    messages: [],
  }));
  const { server } = await bad((client) =>
    client
      .upgrade()
      .says(hello, good, ...wrong)
      .closes(1011),
  );
  await until('the second connection', () => server.clients.length > 1);
  expect(server.clients[1]?.query.get('since')).toBe('1-0-50-50');
});

test('a hello of nonsense is a hello', async () => {
  const { room, messages } = await bad((client) =>
    client.upgrade().says(
      {
        type: 'hello',
        user: 7,
        now: 'noon',
        ping_ms: -1,
        idle_ms: 'x',
        expires: {},
        cursor: [],
        online: NaN,
        mode: 3,
        state: 'x',
        can_send: 'yes',
      },
      good,
    ),
  );
  await until('the good message', () => messages.length > 0);
  expect([room.user, room.online, room.canSend, room.sticky, room.mode.slowMs]).toEqual([undefined, 0, false, [], 0]);
});

test('silence after accepting, silence after the handshake: given up in time, tried again, few times', async () => {
  for (const answer of [() => {}, (client: Client) => client.upgrade()]) {
    const { server, room, states } = await bad(answer, quick());
    const start = room.debug.transitions[0]?.at ?? 0;
    await until('three attempts', () => server.clients.length >= 3);
    const took = (room.debug.transitions.at(-1)?.at ?? 0) - start;
    expect(states.find(({ kind }) => kind === 'waiting')).toMatchObject({ code: 1006, reason: 'no hello in time' });
    expect(took).toBeGreaterThan(20_000);
  }
});

test('a page instead of a handshake, a refusal, a hang-up: said, and tried again by backoff', async () => {
  const answers: ((client: Client) => void)[] = [
    (client) => client.html('200 OK'),
    (client) => client.html('503 Service Unavailable'),
    (client) => client.html('404 Not Found'),
    (client) => client.raw('HTTP/1.1 101 Switching\r\n\r\n'),
    (client) => client.raw('\0\x01\x02 no http at all\r\n\r\n'),
    (client) => client.socket.destroy(),
  ];
  for (const answer of answers) {
    const { server, room, states } = await bad(answer, quick());
    await until('three attempts', () => server.clients.length >= 3);
    expect(states.find(({ kind }) => kind === 'waiting')).toMatchObject({ code: 1006 });
    expect(room.debug.attempts).toBeGreaterThanOrEqual(2);
  }
});

test('a server that is slow by half a minute is given up, and does not make a storm', async () => {
  const { server, room } = await bad((client) => setTimeout(() => client.upgrade().says(hello), 300), quick());
  await until('a minute has passed', () => (room.debug.transitions.at(-1)?.at ?? 0) > 1_700_000_000_000 + 60_000);
  expect(server.clients.length).toBeLessThanOrEqual(7); // each takes its 10 s
});

test('it says hello and hangs up, again and again: attempts are counted, and grow apart', async () => {
  const { server, room } = await bad((client) => client.upgrade().says(hello).closes(1011), quick());
  await until('two minutes have passed', () => (room.debug.transitions.at(-1)?.at ?? 0) > 1_700_000_000_000 + 120_000);
  expect(server.clients.length).toBeGreaterThan(3);
  expect(server.clients.length).toBeLessThanOrEqual(ATTEMPTS_MAX);
  expect(room.debug.attempts).toBeGreaterThanOrEqual(server.clients.length - 1);
});

test('asked to come back at once, for ever: the same', async () => {
  const { server, room } = await bad(
    (client) => client.upgrade().says(hello, { type: 'reconnect', after_ms: 0 }, { type: 'reconnect', after_ms: -5 }),
    quick(),
  );
  await until('two minutes have passed', () => (room.debug.transitions.at(-1)?.at ?? 0) > 1_700_000_000_000 + 120_000);
  expect(server.clients.length).toBeLessThanOrEqual(ATTEMPTS_MAX);
});

test('every close code that can be written on a wire, also those that nobody may send', async () => {
  const codes = [
    ...Array.from({ length: 17 }, (_, one) => 1000 + one),
    1999,
    2000,
    2999,
    3000,
    3999,
    4000,
    4001,
    4004,
    4005,
    4499,
    4500,
    4501,
    4506,
    4999,
  ];
  for (const code of codes) {
    const { room, states } = await bad((client) => client.upgrade().says(hello).closes(code), quick());
    await until(`${code} is said`, () => states.some(({ kind }) => kind === 'waiting' || kind === 'stopped'));
    const end = states.find((state) => state.kind === 'waiting' || state.kind === 'stopped');
    // A code that may not be sent is a broken line to the socket below.
    expect([code, 1006, 1002]).toContain(end && 'code' in end ? end.code : undefined);
    room.close();
  }
});

test('every code from 1000 to 4999, without the socket below: it stops or comes back, and nothing throws', async () => {
  const wrong: string[] = [];
  for (let code = 1000; code <= 4999; code += 1) {
    const world = new World();
    const room = world.room();
    room.reconnect();
    while (world.sockets.length === 0) await Promise.resolve();
    world.socket.says(helloOf(world.now));
    world.socket.ends(code, 'why');
    const { state } = room;
    const isSaid =
      state.kind === 'waiting' || (state.kind === 'stopped' && state.code === code && state.reason === 'why');
    if (!isSaid || (code >= 4500 && state.kind !== 'stopped')) wrong.push(`${code}: ${JSON.stringify(state)}`);
    room.close();
  }
  expect(wrong).toEqual([]);
});

test('event streams go wrong in as many ways', async () => {
  const stops: [string, number][] = [
    ['401 Unauthorized', 4501],
    ['403 Forbidden', 4504],
    ['404 Not Found', 4504],
    ['400 Bad Request', 4505],
    ['426 Upgrade Required', 4505],
  ];
  for (const [status, code] of stops) {
    const { states } = await bad((client) => client.html(status), { wire: 'sse' });
    await until(`${status} stops`, () => states.at(-1)?.kind === 'stopped');
    expect(states.at(-1)).toMatchObject({ code, reason: `answered ${status.slice(0, 3)} with text/html` });
  }
  const returns: ((client: Client) => void)[] = [
    (client) => client.html('200 OK'),
    (client) => client.html('500 Internal Server Error'),
    (client) => client.html('429 Too Many Requests'),
    (client) => client.stream().socket.end(),
    (client) => client.socket.destroy(),
    (client) => client.stream().raw('data: {"type":"close","code":1012,"reason":"restarting"}\n\n'),
    () => {},
  ];
  for (const answer of returns) {
    const { server } = await bad(answer, { ...quick(), wire: 'sse' });
    await until('a second attempt', () => server.clients.length >= 2);
  }
});

test('an event stream of nonsense: each is said, and the next is read', async () => {
  const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
  const { messages, errors, room } = await bad(
    (client, turn) =>
      turn === 0 &&
      client
        .stream()
        .raw(
          `${event(hello)}data: {broken\n\ndata: 5\n\nnonsense\n\n: comment\n\n\0\0\n\ndata: ${'x'.repeat(5 * 2 ** 20)}\n\n${event(good)}`,
        ),
    { wire: 'sse' },
  );
  await until('the good message', () => messages.length > 0);
  expect([errors.map(({ code }) => code), room.canSend]).toEqual([
    ['bad_frame', 'bad_frame', 'frame_too_large'],
    false,
  ]);
});

test('a moment named by Retry-After is kept', async () => {
  const { room, states } = await bad(
    (client) => client.socket.end('HTTP/1.1 503 No\r\nRetry-After: 20\r\nContent-Length: 0\r\n\r\n'),
    { wire: 'sse' },
  );
  await until('it waits', () => states.at(-1)?.kind === 'waiting');
  const [state] = states.filter(({ kind }) => kind === 'waiting');
  const transition = room.debug.transitions.find(({ to }) => to === 'waiting');
  expect(state).toMatchObject({ code: 1013 });
  expect(state?.kind === 'waiting' && transition && state.until - transition.at).toBeCloseTo(20_000, -3);
});

test('a Retry-After of days is cut to five minutes, as any other wait that a server asks for', async () => {
  const { room, states } = await bad(
    (client) => client.socket.end('HTTP/1.1 503 No\r\nRetry-After: 864000\r\nContent-Length: 0\r\n\r\n'),
    { wire: 'sse' },
  );
  await until('it waits', () => states.at(-1)?.kind === 'waiting');
  const transition = room.debug.transitions.find(({ to }) => to === 'waiting');
  const [state] = states.filter(({ kind }) => kind === 'waiting');
  expect(state?.kind === 'waiting' && transition && state.until - transition.at).toBeCloseTo(300_000, -3);
});
