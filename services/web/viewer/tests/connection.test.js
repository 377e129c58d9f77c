// The life of a socket against a server that only this file plays.

import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';

const sockets = [];

class FakeSocket {
  static OPEN = 1;
  readyState = 1;
  sent = [];

  constructor(url) {
    this.url = new URL(url);
    sockets.push(this);
  }
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  close() {
    this.readyState = 3;
  }
  says(...frames) {
    for (const frame of frames) this.onmessage?.({ data: JSON.stringify(frame) });
  }
  ends(code, reason = '') {
    this.onclose?.({ code, reason });
  }
}

Object.assign(globalThis, {
  WebSocket: FakeSocket,
  location: { protocol: 'http:', host: 'here' },
  addEventListener: () => {},
});
const { Connection } = await import('../connection.js');

const HELLO = { type: 'hello', cursor: 'c0', now: 1, ping_ms: 30_000 };
const settled = () => new Promise((done) => setImmediate(done));

async function connected() {
  sockets.length = 0;
  const heard = { frames: [], states: [] };
  const hear = { frame: (frame) => heard.frames.push(frame), state: (state) => heard.states.push(state) };
  const pass = { token: async () => 't', forget() {}, watchOnly: false, isFresh: true };
  const connection = new Connection('demo', pass, hear);
  await connection.again();
  sockets[0].says(HELLO);
  return { connection, heard, kinds: () => heard.states.map(({ kind }) => kind) };
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  mock.method(Math, 'random', () => 0.5);
});

test('a restart brings the page back at once, with its cursor', async () => {
  const { heard, kinds } = await connected();
  const [old] = sockets;
  old.says({ type: 'batch', cursor: 'c1', messages: [] }, { type: 'reconnect', cursor: 'c2' });
  old.ends(1012);
  await settled();
  assert.equal(sockets.length, 2);
  assert.equal(sockets[1].url.searchParams.get('since'), 'c2');
  assert.deepEqual(kinds(), ['connecting', 'live', 'connecting'], 'nobody is told to wait');
  old.says({ type: 'batch', cursor: 'c9', messages: [] });
  assert.equal(heard.frames.length, 3, 'the old socket is not heard any more');
});

test('the moment that the server chose is kept, whether the close comes before it or not at all', async () => {
  for (const closes of [true, false]) {
    const { kinds } = await connected();
    sockets[0].says({ type: 'reconnect', after_ms: 4_000 });
    if (closes) sockets[0].ends(1012);
    mock.timers.tick(3_900);
    await settled();
    assert.equal(sockets.length, 1, 'too early');
    mock.timers.tick(101);
    await settled();
    assert.equal(sockets.length, 2, `${closes}`);
    assert.equal(kinds().includes('waiting'), closes);
  }
});

test('who is sent away again and again waits longer each time', async () => {
  await connected();
  for (const [turn, waitMs] of [0, 800, 1_600, 3_200].entries()) {
    sockets.at(-1).says(HELLO, { type: 'reconnect' });
    sockets.at(-1).ends(1012);
    mock.timers.tick(Math.max(0, waitMs - 1));
    await settled();
    assert.equal(sockets.length, waitMs === 0 ? 2 : turn + 1, `turn ${turn}: too early`);
    mock.timers.tick(1);
    await settled();
    assert.equal(sockets.length, turn + 2, `turn ${turn}`);
  }
});

test('a place taken over is said and kept until somebody asks for it back', async () => {
  const { connection, heard } = await connected();
  sockets[0].says({ type: 'batch', cursor: 'c1', messages: [] });
  sockets[0].ends(4502, 'replaced by a newer connection');
  mock.timers.tick(3_600_000);
  await settled();
  assert.equal(sockets.length, 1);
  assert.deepEqual(heard.states.at(-1), { kind: 'stopped', code: 4502, reason: 'replaced by a newer connection' });
  await connection.again();
  assert.equal(sockets[1].url.searchParams.get('since'), 'c1');
});

test('a frame without a cursor leaves the cursor where it was', async () => {
  await connected();
  sockets[0].says({ type: 'batch', cursor: 'c1', messages: [] }, { type: 'batch', messages: [] }, { type: 'verdict' });
  sockets[0].ends(1006);
  mock.timers.tick(400);
  await settled();
  assert.equal(sockets[1].url.searchParams.get('since'), 'c1');
});

test('the clock is asked for a few times at first, and only a missed heartbeat ends the line', async () => {
  const { kinds } = await connected();
  const pings = () => sockets[0].sent.filter(({ type }) => type === 'ping').length;
  assert.equal(pings(), 1);
  for (let ms = 0; ms < 29_000; ms += 500) mock.timers.tick(500);
  assert.equal(pings(), 4);
  assert.deepEqual(kinds(), ['connecting', 'live'], 'nothing was answered, and nobody minds yet');
  for (let ms = 0; ms < 32_000; ms += 500) mock.timers.tick(500);
  assert.equal(kinds()[2], 'waiting', 'two heartbeats without an answer');
});
