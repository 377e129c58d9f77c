// What an application is told, and what becomes of what it says.

import { expect, test, vi } from 'vitest';
import { START, World, batch, diary, helloOf, said, settled } from './fake.js';

const ids = (messages: { id: string }[]) => messages.map(({ id }) => id);

test('each message once, in order, also across a resume', async () => {
  const world = new World();
  const room = await world.live();
  const told = diary(room, 'message');
  world.socket.says(batch('1-0-11-11', said('1-0-10'), said('1-0-11')));
  world.socket.ends(1006);
  await world.pass(400);
  world.socket.says(helloOf(world.now, { recovered: true }), {
    ...batch('1-0-13-13', said('1-0-11'), said('1-0-12')),
    replay: true,
  });
  expect(ids(told)).toEqual(['1-0-10', '1-0-11', '1-0-12']);
  expect([told[2]?.replay, ids([...room.history]), room.debug.repeats]).toEqual([true, ids(told), 1]);
});

test('the history holds the last 200', async () => {
  const world = new World();
  const room = await world.live();
  world.socket.says(batch('1-0-300-300', ...Array.from({ length: 250 }, (_, one) => said(`1-0-${one}`))));
  expect([room.history.length, room.history[0]?.id]).toEqual([200, '1-0-50']);
});

test("own messages are known by the user's id, and by the id of an ack", async () => {
  const world = new World();
  const room = await world.live({}, { user: { id: 'me' } });
  const told = diary(room, 'message');
  const sent = room.send('hi');
  const client_id = world.socket.sentOf('send')[0]?.['client_id'];
  world.socket.says({ type: 'ack', client_id, ok: true, id: '1-0-20' });
  world.socket.says(
    batch('1-0-21-21', said('1-0-19', { user: { id: 'me' } }), said('1-0-20', { user: undefined }), said('1-0-21')),
  );
  expect(await sent).toMatchObject({ ok: true, id: '1-0-20', clientId: client_id });
  expect(told.map(({ own }) => own)).toEqual([true, true, false]);
});

test('a recall takes back what was told, what waits, what stands, and what still comes', async () => {
  const world = new World();
  const standing = said('1-0-5', { kind: 'event', event: 'pin', user: { id: 'u' } });
  const room = await world.live({}, { state: [standing] });
  const told = diary(room, 'message');
  const recalls = diary(room, 'recall');
  world.socket.says(batch('1-0-11-11', said('1-0-10'), said('1-0-11', { user: { id: 'u' } })));
  world.socket.says(
    { type: 'recall', ids: ['1-0-10', '1-0-30'] },
    { type: 'recall', user: 'u', through: '1-0-40', reason: 'spam' },
  );
  world.socket.says(
    batch(
      '1-0-41-41',
      said('1-0-30'),
      said('1-0-31'),
      said('1-0-39', { user: { id: 'u' } }),
      said('1-0-41', { user: { id: 'u' } }),
    ),
  );
  expect(ids(told)).toEqual(['1-0-10', '1-0-11', '1-0-31', '1-0-41']);
  expect([ids([...room.history]), room.sticky]).toEqual([['1-0-31', '1-0-41'], []]);
  expect(told.map((message) => recalls.some(({ matches }) => matches(message)))).toEqual([true, true, false, false]);
});

test('gaps, modes, verdicts, notices, counts and errors are told as they are', async () => {
  const world = new World();
  const room = await world.live({}, { online: 5, mode: { slow_ms: 3_000 } });
  expect([room.online, room.mode.slowMs]).toEqual([5, 3_000]);
  const [gaps, modes, verdicts, notices, counts, errors] = [
    diary(room, 'gap'),
    diary(room, 'mode'),
    diary(room, 'verdict'),
    diary(room, 'notice'),
    diary(room, 'online'),
    diary(room, 'error'),
  ];
  world.socket.says(
    { type: 'gap', dropped: 12, reason: 'slow' },
    { type: 'mode', emote_only: true },
    { type: 'verdict', client_id: 'c', id: '1', verdict: 'muted', code: 'banned', until: 9 },
    { type: 'notice', id: 'n', text: 'hello', data: { a: 1 } },
    { type: 'notice', id: 'n', text: 'hello', data: { a: 1 } },
    { type: 'pong', online: 7, approximate: true },
    { type: 'error', code: 'malformed', message: 'no' },
    { type: 'hologram' },
    { type: 'hologram' },
    { type: 'toString' },
  );
  expect(gaps).toEqual([{ dropped: 12, reason: 'slow' }]);
  expect([modes.length, room.mode.emoteOnly, room.mode.slowMs]).toEqual([1, true, 0]);
  expect(verdicts).toMatchObject([{ verdict: 'muted', code: 'banned', until: 9 }]);
  expect(notices).toEqual([{ id: 'n', text: 'hello', data: { a: 1 } }]);
  expect(world.socket.sentOf('ack')).toEqual([
    { type: 'ack', notice: 'n' },
    { type: 'ack', notice: 'n' },
  ]);
  expect([counts, room.online]).toEqual([[{ count: 7, approximate: true }], 7]);
  expect(errors.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'malformed no',
    'unknown_type hologram',
    'unknown_type toString',
  ]);
});

test('what stands in the room gives way to what comes after it', async () => {
  const world = new World();
  const score = (id: string, at: number, event = 'score') => said(id, { at, kind: 'event', event });
  const room = await world.live({}, { state: [score('1-0-1', START), score('1-0-2', START, 'pin')] });
  world.socket.says(batch('1-0-9-9', score('1-0-8', START + 1), score('1-0-9', START + 1, 'goal')));
  expect(ids([...room.sticky])).toEqual(['1-0-2', '1-0-8']);
});

test('a message is sent at once on a line, and its fate is the verdict', async () => {
  const world = new World();
  const room = await world.live();
  const sent = room.send('666', { color: '#ff8800', position: 'top', size: 'small' });
  const [frame] = world.socket.sentOf('send');
  expect(frame).toEqual({
    type: 'send',
    client_id: expect.stringMatching(/^[\w-]{1,64}$/) as string,
    text: '666',
    color: '#ff8800',
    position: 'top',
    size: 'small',
  });
  world.socket.says({ type: 'ack', client_id: frame?.['client_id'], ok: true, id: '1-0-20' });
  const answer = await sent;
  if (!answer.ok) throw new Error(answer.code);
  world.socket.says(batch('1-0-21-21', said('1-0-20', { user: { id: 'me' } })));
  await world.pass(1_100);
  expect(await answer.verdict).toMatchObject({ id: '1-0-20', verdict: 'passed' });
});

test('refusals are values: the door’s, and the client’s own', async () => {
  const world = new World();
  const room = await world.live();
  const limited = room.send('again');
  const [frame] = world.socket.sentOf('send');
  world.socket.says({ type: 'ack', client_id: frame?.['client_id'], code: 'rate_limited', retry_after_ms: 800 });
  expect(await limited).toMatchObject({ ok: false, code: 'rate_limited', retryAfterMs: 800 });
  const rows = [
    ['x'.repeat(5_000), {}, 'too_long'],
    ['x', { color: 'red' }, 'malformed'],
  ] as const;
  for (const [text, style, code] of rows) expect(await room.send(text, style)).toMatchObject({ ok: false, code });
  expect(world.socket.sentOf('send')).toHaveLength(1);
  room.close();
  expect(await room.send('x')).toMatchObject({ ok: false, code: 'closed' });
  expect(await world.room({ wire: 'sse' }).send('x')).toMatchObject({ ok: false, code: 'receive_only' });
});

test('half of a pair of surrogates is no text, and is not sent as one', async () => {
  const world = new World();
  const room = await world.live();
  void room.send('a\ud83db\u{1f389}');
  expect(world.socket.sentOf('send')[0]?.['text']).toBe('a\ufffdb\u{1f389}');
});

test('what is said without a line goes out once after the resume, with its own client_id', async () => {
  const world = new World();
  const room = await world.live();
  const first = room.send('one');
  world.socket.ends(1006);
  const second = room.send('two');
  await world.pass(400);
  expect(world.socket.sentOf('send')).toEqual([]);
  world.socket.says(helloOf(world.now, { recovered: true }), helloOf(world.now));
  await world.pass(500);
  const again = world.socket.sentOf('send');
  expect(again.map(({ text }) => text)).toEqual(['one', 'two']);
  expect(again[0]).toEqual(world.sockets[0]?.sentOf('send')[0]);
  for (const [at, { client_id }] of again.entries())
    world.socket.says({ type: 'ack', client_id, ok: true, id: `1-0-${at}` });
  expect([await first, await second]).toMatchObject([{ ok: true }, { ok: true }]);
});

test('what finds no line in time is expired, and what may have been heard is unknown', async () => {
  const world = new World();
  const room = await world.live();
  const heard = room.send('one');
  world.socket.ends(1006);
  const unheard = room.send('two');
  await world.pass(31_000);
  expect([await heard, await unheard]).toMatchObject([
    { ok: false, code: 'unknown' },
    { ok: false, code: 'expired' },
  ]);
});

test('eight may wait', async () => {
  const world = new World();
  const room = await world.open();
  const sent = Array.from({ length: 9 }, (_, one) => room.send(`${one}`));
  expect(await sent[8]).toMatchObject({ ok: false, code: 'queue_full' });
  room.close();
  expect(await sent[0]).toMatchObject({ ok: false, code: 'closed' });
});

test('with a delay danmaku come later, one’s own at once, and the score waits as well', async () => {
  const world = new World();
  const room = await world.live(
    { delayMs: 5_000 },
    { state: [said('1-0-9', { at: START + 300, kind: 'event', event: 'score' })] },
  );
  const told = diary(room, 'message');
  world.socket.says(
    batch('1-0-12-12', said('1-0-10', { at: world.now }), said('1-0-11', { at: world.now, user: { id: 'me' } })),
  );
  await vi.dynamicImportSettled();
  expect([ids(told), room.sticky.length, room.debug.delayed]).toEqual([['1-0-11'], 0, 2]);
  await world.pass(4_900);
  world.socket.says({ type: 'pong' });
  expect(ids(told)).toEqual(['1-0-11']);
  await world.pass(200);
  expect([ids(told), ids([...room.sticky])]).toEqual([['1-0-11', '1-0-9', '1-0-10'], ['1-0-9']]);
  expect(told.map(({ replay }) => replay)).toEqual([false, false, false]);
});

test('with a delay, what stood before the line broke stands after it, and what still waits does not', async () => {
  const world = new World();
  const stands = (id: string, at: number, event: string) => said(id, { at, kind: 'event', event });
  const pin = stands('1-0-8', START, 'pin');
  const room = await world.live({ delayMs: 5_000 }, { state: [pin] });
  await vi.dynamicImportSettled();
  await world.pass(5_100);
  const score = stands('1-0-9', world.now, 'score');
  world.socket.says(batch('1-0-10-10', score));
  await vi.dynamicImportSettled();
  world.socket.ends(1006);
  await world.pass(400);
  world.socket.says(helloOf(world.now, { recovered: true, state: [pin, score] }));
  expect(ids([...room.sticky])).toEqual(['1-0-8']);
  for (let passed = 0; passed < 5_000; passed += 1_000) {
    world.socket.says({ type: 'pong' });
    await world.pass(1_000);
  }
  expect(ids([...room.sticky])).toEqual(['1-0-8', '1-0-9']);
});

test('danmaku follow the picture: none while it stands, all of them as it goes on', async () => {
  const world = new World();
  const room = await world.live();
  const told = diary(room, 'message');
  let picture: number | undefined = world.now - 10_000;
  room.syncTo(() => picture);
  world.socket.says(batch('1-0-12-12', said('1-0-10', { at: world.now - 9_000 }), said('1-0-11', { at: world.now })));
  await vi.dynamicImportSettled();
  await world.pass(3_000);
  world.socket.says({ type: 'pong' });
  expect(told).toEqual([]);
  picture += 2_000;
  await world.pass(100);
  expect(ids(told)).toEqual(['1-0-10']);
  room.syncTo(null);
  await world.pass(100);
  expect(ids(told)).toEqual(['1-0-10', '1-0-11']);
});

test('a picture that throws is said once, and the clock is followed', async () => {
  const world = new World();
  const room = await world.live();
  const [told, errors] = [diary(room, 'message'), diary(room, 'error')];
  room.syncTo(() => {
    throw new Error('no player');
  });
  world.socket.says(batch('1-0-11-11', said('1-0-10', { at: START })));
  await vi.dynamicImportSettled();
  await world.pass(100);
  expect([ids(told), errors]).toEqual([['1-0-10'], [{ code: 'picture', message: 'Error: no player' }]]);
});

test('what a listener throws stops neither the others nor the client', async () => {
  const world = new World();
  const room = await world.live();
  const reported: unknown[] = [];
  Object.assign(globalThis, { reportError: (error: unknown) => reported.push(error) });
  room.on('message', () => {
    throw new Error('mine');
  });
  const told = diary(room, 'message');
  const off = room.on('message', () => told.pop());
  off();
  world.socket.says(batch('1-0-11-11', said('1-0-10')));
  Reflect.deleteProperty(globalThis, 'reportError');
  expect([told.length, reported.length]).toEqual([1, 1]);
});

test('a listener that ends itself and listens anew is told once', async () => {
  const world = new World();
  const room = await world.live();
  let told = 0;
  const listen = () => {
    const off = room.on('message', () => {
      told += 1;
      off();
      if (told < 100) listen();
    });
  };
  listen();
  world.socket.says(batch('1-0-11-11', said('1-0-10')));
  expect(told).toBe(1);
});

test('the debug view is plain data', async () => {
  const world = new World();
  const room = await world.live();
  await settled();
  const { transitions, ...rest } = room.debug;
  expect(JSON.parse(JSON.stringify(rest))).toEqual({
    state: { kind: 'live' },
    missed: 0,
    attempts: 0,
    connections: 1,
    pingEveryMs: 2_000,
    wire: 'json',
    profile: 'office',
    cursor: '1-0-10-10',
    unsent: 0,
    delayed: 0,
    repeats: 0,
  });
  expect(transitions.map(({ from, to, why }) => `${from} ${to} ${why}`)).toEqual([
    'idle connecting asked to',
    'connecting connecting its moment',
    'connecting live hello',
  ]);
});
