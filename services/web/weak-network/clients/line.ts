// One WebSocket as a simple client has it: hello, messages, pings. It never comes back; who uses it may open another.

import { WebSocket } from 'ws';
import type { Ear, Said, Where } from './client.js';

export interface Patience {
  connectMs: number;
  pingMs: number;
  /** Without an answer to a ping for so long the line is given up; Infinity = never. */
  answerMs: number;
}

interface Frame {
  type: string;
  messages?: Said[];
  dropped?: number;
}

export class Line {
  #socket: WebSocket;
  #heardAt = 0;
  #timers: NodeJS.Timeout[] = [];
  #isOver = false;

  constructor(
    where: Where,
    readonly ear: Ear & { gap?: () => void },
    readonly patience: Patience,
  ) {
    const protocols = ['danmaku.v1.json', ...(where.token === undefined ? [] : [`bearer.${where.token}`])];
    this.#socket = new WebSocket(`${where.url}/v1/rooms/${encodeURIComponent(where.room)}/live`, protocols);
    this.#socket.onmessage = ({ data }) => this.#hear(JSON.parse(String(data)) as Frame);
    this.#socket.onclose = ({ code }) => this.#end(`closed ${code}`);
    this.#socket.onerror = () => {}; // onclose follows
    if (patience.connectMs < Infinity) this.#timers.push(setTimeout(() => this.#heardAt || this.#end('no hello'), patience.connectMs));
  }

  get isOpen(): boolean {
    return !this.#isOver && this.#heardAt > 0;
  }

  say(text: string): void {
    this.#send({ type: 'send', client_id: text.replaceAll(/[^A-Za-z0-9_-]/g, '-'), text });
  }

  close(): void {
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#socket.close();
  }

  #send(frame: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #hear(frame: Frame): void {
    if (this.#isOver) return;
    const isFirst = this.#heardAt === 0;
    this.#heardAt = performance.now();
    if (frame.type === 'hello' && isFirst) this.#open();
    if (frame.type === 'gap') this.ear.gap?.();
    for (const message of frame.messages ?? []) this.ear.seen(message);
  }

  #open(): void {
    const { pingMs, answerMs } = this.patience;
    this.#timers.push(setInterval(() => this.#send({ type: 'ping', at: Date.now() }), pingMs));
    if (answerMs < Infinity) this.#timers.push(setInterval(() => this.#isSilent(pingMs + answerMs) && this.#end('silent'), 1_000));
    this.ear.up();
  }

  #isSilent(ms: number): boolean {
    return performance.now() - this.#heardAt > ms;
  }

  #end(why: string): void {
    if (this.#isOver) return;
    this.close();
    this.ear.down(why);
  }
}
