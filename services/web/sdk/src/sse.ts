// A line that only receives: server-sent events by fetch, which can bring a token and see the status. No rules.

import { AFTER_MS_MAX } from './backoff.js';
import { ABNORMAL, UNAUTHORIZED } from './closes.js';
import { FRAME_MAX, address, hear, type Ask, type Ears, type Frame, type Open } from './line.js';

/** A status that is no stream, as the close code that a WebSocket would have had. */
function closeOf(status: number): number {
  if (status === 401) return UNAUTHORIZED;
  if (status === 403 || status === 404) return 4504;
  // Not now (too many, too slow, or a server's fault); anything else of 400 is a fault of ours.
  return status === 408 || status === 429 || status >= 500 ? 1013 : status >= 400 ? 4505 : ABNORMAL;
}

/**
 * The place goes as `since`, not as `Last-Event-ID`: the server reads both, and another origin's server need not be
 * asked first.
 */
export const events: Open = (ask, ears) => {
  const end = new AbortController();
  const mine: Ears = {
    frame(frame) {
      if (end.signal.aborted) return;
      // The last word of a stream is what a WebSocket would be closed with.
      if (frame.type === 'close') mine.closed(Number(frame['code']) || ABNORMAL, String(frame['reason'] ?? ''));
      else ears.frame(frame);
    },
    alive: () => end.signal.aborted || ears.alive(),
    bad: (code, message) => end.signal.aborted || ears.bad(code, message),
    closed: (code, reason, afterMs) => {
      if (end.signal.aborted) return;
      end.abort();
      ears.closed(code, reason, afterMs);
    },
  };
  listen(ask, mine, end.signal).catch((error: unknown) => mine.closed(ABNORMAL, String(error)));
  return { say() {}, close: () => end.abort() };
};

async function listen(ask: Ask, ears: Ears, signal: AbortSignal): Promise<void> {
  const headers: Record<string, string> = { Accept: 'text/event-stream' };
  if (ask.token) headers['Authorization'] = `Bearer ${ask.token}`;
  const answer = await ask.env.fetch(address(ask, false), { headers, signal, cache: 'no-store' });
  const type = answer.headers.get('Content-Type') ?? 'nothing';
  if (answer.status !== 200 || !answer.body || !type.startsWith('text/event-stream')) {
    const seconds = Number(answer.headers.get('Retry-After') ?? NaN);
    const reason = `answered ${answer.status} with ${type}`;
    return ears.closed(closeOf(answer.status), reason, Number.isFinite(seconds) ? Math.min(seconds * 1_000, AFTER_MS_MAX) : undefined);
  }
  const events = new EventReader();
  const text = new TextDecoder();
  for (const reader = answer.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return ears.closed(ABNORMAL, 'the stream ended');
    ears.alive();
    for (const data of events.push(text.decode(value, { stream: true }))) {
      hear(ears, data?.length ?? Infinity, () => JSON.parse(data ?? '') as Frame);
    }
  }
}

/**
 * Text in pieces in, the `data` of whole events out; undefined for one that was too large. The type and cursor stand in
 * the data as well.
 */
export class EventReader {
  #rest = '';
  #data: string[] = [];
  #size = 0;

  push(text: string): (string | undefined)[] {
    const whole: (string | undefined)[] = [];
    // A line break of two characters may come in two pieces.
    const isTorn = this.#rest.endsWith('\r');
    const lines = ((isTorn ? '\r' : '') + text).split(/\r\n|\n|\r(?!$)/);
    lines[0] = (isTorn ? this.#rest.slice(0, -1) : this.#rest) + lines[0];
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line, whole);
    // What does not fit is forgotten as it comes; its size says so at the end.
    if (this.#rest.length > FRAME_MAX) {
      this.#size += this.#rest.length;
      this.#rest = 'data:';
    }
    return whole;
  }

  #line(line: string, whole: (string | undefined)[]): void {
    if (line === '') {
      if (this.#size > FRAME_MAX) whole.push(undefined);
      else if (this.#data.length > 0) whole.push(this.#data.join('\n'));
      this.#data = [];
      this.#size = 0;
    } else if (line.startsWith('data:')) {
      this.#size += line.length;
      if (this.#size <= FRAME_MAX) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
    }
  }
}
