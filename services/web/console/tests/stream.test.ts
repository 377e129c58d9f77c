// Listening goes on where it broke off, waits longer after each failure, and ends where it may not listen.

import { describe, expect, it, vi } from 'vitest';
import { listen, type Listening, pause, sleep } from '../api/stream';

const body = (...pieces: string[]) =>
  new Response(new ReadableStream({ start: (to) => (pieces.forEach((piece) => to.enqueue(new TextEncoder().encode(piece))), to.close()) }));

/** Listens to these answers, one after the other, and stops behind the last. */
async function hear(answers: (() => Response | Promise<Response>)[]) {
  const told = { events: [] as string[], states: [] as string[], ids: [] as (string | null)[], tokens: [] as (string | null)[], waits: [] as number[] };
  const stop = new AbortController();
  const listening: Listening = {
    path: '/stream',
    token: () => 'secret',
    signal: stop.signal,
    onEvent: (event) => told.events.push(`${event.kind} ${event.data}`),
    onState: (state) => told.states.push(state),
    random: () => 1,
    wait: async (ms) => {
      told.waits.push(ms);
      if (told.ids.length === answers.length) stop.abort();
    },
    send: async (_, init) => {
      const headers = new Headers(init?.headers);
      told.ids.push(headers.get('last-event-id'));
      told.tokens.push(headers.get('authorization'));
      const answer = answers[told.ids.length - 1];
      if (!answer) throw new Error('asked too often');
      return answer();
    },
  };
  await listen(listening);
  return told;
}

describe('listening', () => {
  it('goes on behind the last event it heard', async () => {
    const told = await hear([() => body('event: held\nid: 7\nda', 'ta: a\n\n'), () => body('event: mode\nid: 8\ndata: b\n\n'), () => body()]);
    expect(told.events).toEqual(['held a', 'mode b']);
    expect(told.ids).toEqual([null, '7', '8']);
    expect(told.tokens[0]).toBe('Bearer secret');
    expect(told.states).toEqual(['connecting', 'open', 'broken', 'connecting', 'open', 'broken', 'connecting', 'open', 'broken']);
  });

  it('waits longer after each failure, and begins anew once something was heard', async () => {
    const fails = () => Promise.reject(new Error('no network'));
    const told = await hear([fails, fails, () => new Response('', { status: 503 }), () => body('data: a\n\n'), fails]);
    expect(told.waits).toEqual([1000, 2000, 4000, 1000, 2000]);
  });

  it.each([400, 401, 403, 404])('ends where it may not listen: %s', async (status) => {
    const told = await hear([() => new Response('', { status })]);
    expect(told.states).toEqual(['connecting', 'refused']);
    expect(told.waits).toEqual([]);
  });

  it('leaves nothing behind when it has slept, and wakes when it is over', async () => {
    const over = new AbortController();
    const added = vi.spyOn(over.signal, 'addEventListener');
    const removed = vi.spyOn(over.signal, 'removeEventListener');
    await sleep(1, over.signal);
    await sleep(1, over.signal);
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
    const long = sleep(1_000_000, over.signal);
    over.abort();
    await long;
  });

  it.each([
    [0, 0, 250],
    [0, 1, 1000],
    [3, 0, 2000],
    [3, 1, 8000],
    [4, 1, 15_000],
    [1000, 1, 15_000],
  ])('after %i failures, with chance %d, it waits %i ms', (failures, random, ms) => expect(pause(failures, random)).toBe(ms));
});
