// A server that misbehaves exactly as a test tells it to: raw TCP, with as much of HTTP and RFC 6455 as it needs to be
// wrong on purpose.

import { createHash } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { Env } from '../src/env.js';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** One client that has asked for something. */
export class Client {
  constructor(
    readonly socket: Socket,
    readonly head: string,
  ) {}

  get query(): URLSearchParams {
    return new URL(this.head.split(' ')[1] ?? '', 'http://here').searchParams;
  }

  raw(text: string): this {
    this.socket.write(text);
    return this;
  }

  html(status: string): void {
    this.socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: text/html\r\nContent-Length: 14\r\nConnection: close\r\n\r\n<h1>Hello</h1>`,
    );
  }

  upgrade(): this {
    const key = /sec-websocket-key: (.+)\r/i.exec(this.head)?.[1] ?? '';
    const accept = createHash('sha1')
      .update(key + GUID)
      .digest('base64');
    return this.raw(
      `HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${/protocol: ([^,\r]+)/i.exec(this.head)?.[1]}\r\n\r\n`,
    );
  }

  stream(): this {
    return this.raw('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n');
  }

  frame(opcode: number, body: Buffer): this {
    const length = Buffer.alloc(body.length < 126 ? 1 : 9);
    if (body.length < 126) length[0] = body.length;
    else {
      length[0] = 127;
      length.writeBigUInt64BE(BigInt(body.length), 1);
    }
    this.socket.write(Buffer.concat([Buffer.of(0x80 | opcode), length, body]));
    return this;
  }

  /** Texts as they are, objects as JSON. */
  says(...frames: (string | object)[]): this {
    for (const frame of frames) this.frame(1, Buffer.from(typeof frame === 'string' ? frame : JSON.stringify(frame)));
    return this;
  }

  closes(code: number): this {
    const body = Buffer.alloc(2);
    body.writeUInt16BE(code);
    return this.frame(8, body);
  }
}

export class BadServer {
  readonly clients: Client[] = [];
  #server: Server;
  #sockets = new Set<Socket>();

  private constructor(answer: (client: Client, turn: number) => void) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', (head) => {
        const client = new Client(socket, String(head));
        this.clients.push(client);
        answer(client, this.clients.length - 1);
      });
    });
  }

  static async start(answer: (client: Client, turn: number) => void): Promise<BadServer> {
    const server = new BadServer(answer);
    await new Promise<void>((done) => server.#server.listen(0, '127.0.0.1', done));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  end(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Real sockets, in a world where time runs so many times faster. */
export function world(speed: number): Partial<Env> {
  const start = performance.now();
  return {
    WebSocket,
    now: () => 1_700_000_000_000 + (performance.now() - start) * speed,
    timer(ms, run) {
      const timer = setTimeout(run, ms / speed);
      return () => clearTimeout(timer);
    },
  };
}

/** Waits until something is so, with a deadline. */
export async function until(what: string, isSo: () => boolean, ms = 50_000): Promise<void> {
  const end = performance.now() + ms;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`not in time: ${what}`);
    await new Promise((done) => setTimeout(done, 5));
  }
}
