// Against the whole program: DANMAKU_BIN names it. Every wire, a resume across a dropped line, a message's way from
// `send` to every eye.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { Danmaku } from '../src/index.js';
import type { Env } from '../src/env.js';
import type { Options } from '../src/types.js';
import { until } from './bad-server.js';
import { diary } from './fake.js';

const program = process.env['DANMAKU_BIN'];
if (!program) console.log('skipped: the real program, because DANMAKU_BIN does not name one');

describe.skipIf(!program)('the real program', { timeout: 60_000 }, () => {
  const data = mkdtempSync(join(tmpdir(), 'danmaku-sdk-'));
  const rooms: Danmaku[] = [];
  const sockets: WebSocket[] = [];
  let running: ChildProcess;
  let url = '';

  beforeAll(async () => {
    running = spawn(
      program ?? '',
      ['--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--data', data, '--crowd', '0'],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    let said = '';
    running.stdout?.on('data', (text) => (said += String(text)));
    await until('the program is ready', () => /"ready":true/.test(said));
    url = `http://${/"public":"([^"]+)"/.exec(said)?.[1]}`;
  }, 60_000);
  afterEach(() => rooms.splice(0).forEach((room) => room.close()));
  afterAll(() => {
    running.kill();
    rmSync(data, { recursive: true, force: true });
  });

  async function token(name: string, roles = ''): Promise<string> {
    const answer = await fetch(`${url}/dev/token?name=${name}${roles && `&roles=${roles}`}`);
    return ((await answer.json()) as { token: string }).token;
  }

  async function live(options: Partial<Options>): Promise<Danmaku> {
    const env: Partial<Env> = {
      WebSocket: class extends WebSocket {
        constructor(at: string, protocols: string[]) {
          super(at, protocols);
          sockets.push(this);
        }
      },
    };
    const room = new Danmaku({ url, room: 'demo', env, ...options });
    rooms.push(room);
    room.connect();
    await until('it is live', () => room.state.kind === 'live');
    return room;
  }

  test('what one sends, each sees once on every wire, and knows his own', async () => {
    const speaker = await live({ room: 'wires', token: await token('speaker') });
    const eyes = await Promise.all(
      (['json', 'proto', 'sse'] as const).map(async (wire) => live({ room: 'wires', wire, token: await token(wire) })),
    );
    const diaries = [speaker, ...eyes].map((room) => diary(room, 'message'));
    const sent = await speaker.send('你好 🎉', { color: '#ff8800', position: 'top', size: 'large' });
    if (!sent.ok) throw new Error(sent.code);
    await until('all have it', () => diaries.every((told) => told.length > 0));
    const seen = {
      id: sent.id,
      text: '你好 🎉',
      color: '#ff8800',
      position: 'top',
      size: 'large',
      kind: 'chat',
      replay: false,
    };
    for (const [one, told] of diaries.entries()) expect(told).toMatchObject([{ ...seen, own: one === 0 }]);
    expect(await sent.verdict).toMatchObject({ verdict: 'passed', id: sent.id });
    expect(eyes.map(({ canSend }) => canSend)).toEqual([true, true, false]);
    for (const room of [speaker, ...eyes.slice(0, 2)])
      await until('a round trip', () => room.debug.roundTripMs !== undefined);
  });

  test('the protobuf wire sends as well', async () => {
    const room = await live({ room: 'bytes', wire: 'proto', token: await token('bytes') });
    const told = diary(room, 'message');
    expect(await room.send('666', { color: '#00ff00', size: 'small' })).toMatchObject({ ok: true });
    await until('it is seen', () => told.length > 0);
    expect(told[0]).toMatchObject({ text: '666', color: '#00ff00', size: 'small', own: true });
  });

  test('a line that is cut: nothing is missed, nothing comes twice, what was said meanwhile arrives', async () => {
    const other = await live({ room: 'cut', token: await token('other') });
    for (const wire of ['json', 'proto'] as const) {
      const room = await live({ room: 'cut', wire, token: await token(wire) });
      const told = diary(room, 'message');
      const hellos = diary(room, 'hello');
      const before = told.length;
      sockets.at(-1)?.terminate();
      await until('it noticed', () => room.state.kind !== 'live');
      const [theirs, mine] = await Promise.all([other.send(`meanwhile ${wire}`), room.send(`mine ${wire}`)]);
      expect([theirs.ok, mine.ok]).toEqual([true, true]);
      await until('both came', () => told.length >= before + 2);
      expect(hellos.at(-1)?.recovered).toBe(true);
      expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
      room.close();
    }
  });

  test('a late joiner is shown the last messages, as a replay', async () => {
    const room = await live({ room: 'late', token: await token('early') });
    const sent = await room.send('before');
    await until('it is there', () => room.history.length > 0);
    const late = new Danmaku({ url, room: 'late', wire: 'sse', token: await token('late') });
    rooms.push(late);
    const told = diary(late, 'message');
    late.connect();
    await until('it is replayed', () => told.length > 0);
    expect(told).toMatchObject([{ id: sent.ok && sent.id, text: 'before', replay: true, own: false }]);
  });

  test('refusals have words: the judge says a repeat is one', async () => {
    const room = await live({ room: 'twice', token: await token('twice') });
    const first = await room.send('the same');
    const second = await room.send('the same');
    expect(first.ok && (await first.verdict)?.verdict).toBe('passed');
    expect(second.ok && (await second.verdict)).toMatchObject({ verdict: 'limited', code: 'duplicate' });
    expect(await room.send('   ')).toMatchObject({ ok: false, code: 'empty' });
    expect(await room.send('x'.repeat(200))).toMatchObject({ ok: false, code: 'too_long' });
  });

  test('a bad token stops, and says so, on every wire', async () => {
    for (const wire of ['json', 'proto', 'sse'] as const) {
      const room = new Danmaku({ url, room: 'demo', wire, token: 'a.b.c', env: { WebSocket } });
      rooms.push(room);
      const stopped = diary(room, 'stopped');
      room.connect();
      await until('it stopped', () => stopped.length > 0);
      expect(stopped[0]?.code).toBe(4501);
    }
  });
});
