// Listens to an event stream for as long as somebody wants to: by fetch, as an EventSource can bring no token. It goes on where it
// broke off. What an event means is kept out.

import { EventReader, type StreamEvent } from './events';

export type Heard = 'connecting' | 'open' | 'broken' | 'refused';

export interface Listening {
  path: string;
  token: () => string | null;
  onEvent: (event: StreamEvent) => void;
  /** `refused` is for good: the token does not go so far. */
  onState: (state: Heard) => void;
  signal: AbortSignal;
  send?: typeof fetch;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  random?: () => number;
}

/** The service says each 15 s that the line is alive; two of those missed and some more is a dead line. */
const SILENCE_MS = 40_000;
/** What no second attempt changes: no such room, or not with this token. */
const FOR_GOOD = [400, 401, 403, 404];
const FIRST_MS = 1_000;
const MOST_MS = 15_000;

export async function listen(listening: Listening): Promise<void> {
  const { onState, signal, wait = sleep, random = Math.random } = listening;
  let last = '';
  for (let failures = 0; !signal.aborted; failures += 1) {
    onState('connecting');
    const ended = await once(listening, last, (event) => {
      failures = 0;
      if (event.id !== '') last = event.id;
      listening.onEvent(event);
    });
    if (signal.aborted) return;
    if (ended === 'refused') return onState('refused');
    onState('broken');
    await wait(pause(failures, random()), signal);
  }
}

/** How long to wait after so many failures in a row: full jitter over a doubling, capped window, never nothing. */
export function pause(failures: number, random: number): number {
  const window = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures, 10));
  return Math.round(window / 4 + (window * 3 * random) / 4);
}

async function once(listening: Listening, last: string, hear: (event: StreamEvent) => void): Promise<'ended' | 'refused'> {
  const { path, token, onState, send = fetch } = listening;
  const line = new AbortController();
  const stop = () => line.abort();
  listening.signal.addEventListener('abort', stop);
  let silence = setTimeout(stop, SILENCE_MS);
  try {
    const headers = new Headers({ accept: 'text/event-stream', authorization: `Bearer ${token() ?? ''}` });
    if (last !== '') headers.set('last-event-id', last);
    const response = await send(path, { headers, cache: 'no-store', signal: line.signal });
    if (FOR_GOOD.includes(response.status)) return 'refused';
    if (!response.ok || !response.body) return 'ended';
    onState('open');
    const events = new EventReader();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      clearTimeout(silence);
      silence = setTimeout(stop, SILENCE_MS);
      events.push(piece.value).forEach(hear);
    }
  } catch {
    // Broken off, or never begun: the next attempt tells.
  } finally {
    clearTimeout(silence);
    stop();
    listening.signal.removeEventListener('abort', stop);
  }
  return 'ended';
}

/** Ends early when nobody listens any more; and leaves nothing behind, however often it is slept. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      done();
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake);
  });
}
