// What the client stands on: sockets, time, chance, news of the machine. No other file touches globals.

/** A method, because each kind of socket has event types of its own. */
type Hear<Event> = { hear(event: Event): void }['hear'];

/**
 * As much of a WebSocket as the client uses; the browser's and that of the package `ws` both are one.
 *
 * @example
 * ```ts
 * import { WebSocket } from 'ws';
 * const room = new Danmaku({ url, room: 'demo', env: { WebSocket } });
 * ```
 */
export interface Socket {
  binaryType: string;
  onmessage: Hear<{ data: unknown }> | null;
  onclose: Hear<{ code: number; reason: string }> | null;
  onerror: Hear<unknown> | null;
  readonly readyState: number;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
}

/**
 * `changed` is another network, as from a wireless one to a mobile one.
 *
 * @example
 * ```ts
 * const env = { watch: (hear: (news: News) => void) => onNetwork(() => hear('changed')) };
 * ```
 */
export type News = 'online' | 'offline' | 'changed' | 'shown' | 'hidden';

/**
 * @example
 * ```ts
 * const room = new Danmaku({ room: 'demo', env: { now: () => clock.now, random: () => 0.5 } }); // a test
 * ```
 */
export interface Env {
  WebSocket: (new (url: string, protocols: string[]) => Socket) | undefined;
  fetch: typeof fetch;
  /** Unix milliseconds that never step back. */
  now(): number;
  /** From 0 up to 1. */
  random(): number;
  /** Runs once, `ms` from now; the answer calls it off. */
  timer(ms: number, run: () => void): () => void;
  /** Calls `hear` at each news of the machine; the answer ends that. */
  watch(hear: (news: News) => void): () => void;
}

/** The machine's own. */
export function machine(): Env {
  return {
    WebSocket: globalThis.WebSocket,
    fetch: (input, init) => fetch(input, init),
    now: () => performance.timeOrigin + performance.now(),
    random: Math.random,
    timer(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    watch,
  };
}

function watch(hear: (news: News) => void): () => void {
  const end = new AbortController();
  const on = (target: EventTarget | undefined, name: string, news: () => News | undefined) =>
    target?.addEventListener(name, () => tell(news()), { signal: end.signal });
  const tell = (news: News | undefined) => news && hear(news);
  if (typeof document === 'object') {
    on(window, 'online', () => 'online');
    on(window, 'offline', () => 'offline');
    const seen = () => (document.hidden ? 'hidden' : 'shown');
    on(document, 'visibilitychange', seen);
    // What it was when somebody listened last is long past.
    hear(seen());
    const { connection } = navigator as { connection?: EventTarget & { type?: string } };
    let type = connection?.type;
    // It also fires where only an estimate of the speed has changed.
    on(connection, 'change', () => (type === (type = connection?.type) ? undefined : 'changed'));
  }
  return () => end.abort();
}
