// A world without a network: time that a test moves, sockets whose server it plays, and news that it makes.

import { vi } from 'vitest';
import { type Env, type News, type Socket } from '../src/env.js';
import { Danmaku } from '../src/index.js';
import type { Frame } from '../src/line.js';
import type { Events, Options } from '../src/types.js';

export const START = 1_700_000_000_000;

/** Whatever is under way by promises gets its turn. */
export const settled = () => new Promise((done) => setImmediate(done));

export class FakeSocket implements Socket {
  binaryType = '';
  onmessage: Socket['onmessage'] = null;
  onclose: Socket['onclose'] = null;
  onerror: Socket['onerror'] = null;
  readyState = 1;
  readonly sent: Frame[] = [];
  readonly url: URL;

  constructor(
    url: string,
    readonly protocols: string[],
  ) {
    this.url = new URL(url);
  }

  send(data: string | Uint8Array): void {
    this.sent.push(JSON.parse(String(data)) as Frame);
  }

  close(): void {
    this.readyState = 3;
  }

  says(...frames: object[]): void {
    for (const frame of frames) this.onmessage?.({ data: JSON.stringify(frame) });
  }

  ends(code: number, reason = ''): void {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }

  sentOf(type: string): Frame[] {
    return this.sent.filter((frame) => frame.type === type);
  }
}

export class World {
  now = START;
  random = 0.5;
  sockets: FakeSocket[] = [];
  #timers = new Set<{ at: number; run: () => void }>();
  #hear: ((news: News) => void) | undefined;

  readonly env: Partial<Env>;

  constructor() {
    const { sockets } = this;
    this.env = {
      WebSocket: class extends FakeSocket {
        constructor(url: string, protocols: string[]) {
          super(url, protocols);
          sockets.push(this);
        }
      },
      now: () => this.now,
      random: () => this.random,
      timer: (ms, run) => {
        const timer = { at: this.now + ms, run };
        this.#timers.add(timer);
        return () => this.#timers.delete(timer);
      },
      watch: (hear) => {
        this.#hear = hear;
        return () => (this.#hear = undefined);
      },
    };
  }

  get isWatched(): boolean {
    return this.#hear !== undefined;
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** Moves time, with each timer at its moment. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    await settled();
    for (;;) {
      const next = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers.delete(next);
      this.now = Math.max(this.now, next.at);
      next.run();
      await settled();
    }
    this.now = end;
  }

  /** A machine that sleeps: time goes on, and no timer runs. */
  sleep(ms: number): void {
    this.now += ms;
  }

  async news(news: News): Promise<void> {
    this.#hear?.(news);
    await settled();
  }

  get socket(): FakeSocket {
    const last = this.sockets.at(-1);
    if (!last) throw new Error('no socket was opened');
    return last;
  }

  room(options: Partial<Options> = {}): Danmaku {
    return new Danmaku({ url: 'https://live.example', room: 'demo', ...options, env: { ...this.env, ...options.env } });
  }

  /** A room on its way in; its first socket is open. */
  async open(options: Partial<Options> = {}): Promise<Danmaku> {
    const room = this.room(options);
    room.connect();
    await this.pass(300);
    return room;
  }

  /** A room that is live. */
  async live(options: Partial<Options> = {}, hello: object = {}): Promise<Danmaku> {
    const room = await this.open(options);
    this.socket.says(helloOf(this.now, hello));
    // What speaking needs is loaded with the hello.
    await vi.dynamicImportSettled();
    return room;
  }
}

export const helloOf = (now: number, more: object = {}): object => ({
  type: 'hello',
  version: '1',
  connection: 'c',
  node: 'n',
  room: 'demo',
  user: { id: 'me' },
  now,
  ping_ms: 30_000,
  idle_ms: 75_000,
  cursor: '1-0-10-10',
  can_send: true,
  ...more,
});

/** Everything that a room tells from now on, in order. */
export function diary<Name extends keyof Events>(room: Danmaku, name: Name): Events[Name][] {
  const told: Events[Name][] = [];
  room.on(name, (event) => told.push(event));
  return told;
}

export const kinds = (room: Danmaku): string[] => {
  const told: string[] = [];
  room.on('state', ({ kind }) => told.push(kind));
  return told;
};

export const said = (id: string, more: object = {}): object => ({
  id,
  at: START,
  user: { id: 'other', name: 'O' },
  text: id,
  ...more,
});

export const batch = (cursor: string | undefined, ...messages: object[]): object => ({
  type: 'batch',
  cursor,
  messages,
});
