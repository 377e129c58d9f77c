// A room over a thousand bad moments, from a seed: whatever the network does, each message is told once, in order, and
// one line is open at a time.

import { expect, test } from 'vitest';
import { World, diary, helloOf } from './fake.js';

/** A generator that gives the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed || 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

const MESSAGES = 60;

/** What the server holds at offset `at`: every seventh is no message but a recall of the one before. */
const isRecall = (at: number) => at % 7 === 6;
const id = (at: number) => `1-0-${at}`;
const cursor = (at: number) => `1-0-${at}-${at}`;

function frameOf(from: number, to: number): object[] {
  const frames: object[] = [];
  for (let at = from; at < to; at += 1) {
    if (isRecall(at)) frames.push({ type: 'recall', cursor: cursor(at + 1), ids: [id(at - 1)] });
    else
      frames.push({
        type: 'batch',
        cursor: cursor(at + 1),
        messages: [{ id: id(at), at, user: { id: 'u' }, text: `${at}` }],
      });
  }
  return frames;
}

test.each(Array.from({ length: 40 }, (_, seed) => seed + 1))('seed %i', async (seed) => {
  const random = seeded(seed);
  const world = new World();
  const room = await world.live({}, { cursor: cursor(0) });
  const told = diary(room, 'message');
  let [written, read] = [0, 0];
  for (let turn = 0; turn < 400 && !(read === MESSAGES && room.state.kind === 'live'); turn += 1) {
    world.random = random();
    written = Math.min(MESSAGES, written + Math.floor(random() * 4));
    const { socket } = world;
    if (room.state.kind === 'connecting' && socket.readyState === 1 && random() < 0.7) {
      read = Number((socket.url.searchParams.get('since') ?? cursor(0)).split('-').at(-1));
      socket.says(helloOf(world.now, { cursor: cursor(written), recovered: true }));
    } else if (room.state.kind === 'live') {
      // Now and then it repeats what it said already.
      const from = random() < 0.2 ? Math.max(0, read - 3) : read;
      const to = Math.min(written, read + Math.floor(random() * 5));
      socket.says(...frameOf(from, Math.max(from, to)));
      read = Math.max(read, to);
    }
    const fault = random();
    if (fault < 0.06) socket.ends([1006, 1011, 1012, 4001, 4002][Math.floor(random() * 5)] ?? 1006);
    else if (fault < 0.1) await world.news(random() < 0.5 ? 'changed' : 'offline');
    else if (fault < 0.14) await world.news('online');
    else if (fault < 0.17) world.sleep(random() * 60_000);
    else if (fault < 0.2) socket.says({ type: 'reconnect', after_ms: Math.floor(random() * 3_000) });
    await world.pass(random() * 4_000);
    expect(world.sockets.filter(({ readyState }) => readyState === 1).length).toBeLessThanOrEqual(1);
  }
  const all = Array.from({ length: MESSAGES }, (_, at) => at).filter((at) => !isRecall(at));
  expect(told.map(({ id }) => id)).toEqual(all.map(id));
  expect(room.history.map(({ id }) => id)).toEqual(
    all.filter((at) => !(isRecall(at + 1) && at + 1 < MESSAGES)).map(id),
  );
});
