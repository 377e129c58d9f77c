// A hall for the bench alone: serves the built pages under the real policy, and says so many danmaku a second to each
// viewer, in batches of one window. It judges nothing and remembers nothing; the real one would take a core of the browser's two.

import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketServer, type WebSocket } from 'ws';
import { crowd } from './crowd.js';

/** As in services/web/src/lib.rs. */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
};
const WINDOW_MS = 50;
/** What a page remembers on purpose, as ids, is full before anything is measured: so much is said first, in ten seconds. */
const FIRST = 20_000;
const FIRST_A_SECOND = 2_000;

export class Hall {
  /** Danmaku said to the viewers. */
  sent = 0;
  #speaking: ReturnType<typeof setInterval> | undefined;
  #sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'danmaku.v1.json' });

  private constructor(
    private readonly server: Server,
    private readonly rate: number,
  ) {
    server.on('upgrade', (request, socket, head) =>
      this.#sockets.handleUpgrade(request, socket, head, (viewer) => this.#greet(viewer)),
    );
  }

  static async open(pages: URL, rate: number): Promise<Hall> {
    const server = createServer((request, response) => void serve(pages, request, response));
    await new Promise<void>((open) => server.listen(0, '127.0.0.1', open));
    return new Hall(server, rate);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Says no more; who is connected stays. */
  stop(): void {
    clearInterval(this.#speaking);
  }

  close(): void {
    this.stop();
    for (const viewer of this.#sockets.clients) viewer.terminate();
    this.server.close();
  }

  #greet(viewer: WebSocket): void {
    const hello = {
      type: 'hello',
      version: 'bench',
      connection: 'c',
      node: 'n',
      room: 'bench',
      now: Date.now(),
      ping_ms: 30_000,
      idle_ms: 75_000,
      cursor: '1-0-0-0',
      online: 1,
    };
    viewer.send(JSON.stringify(hello));
    viewer.on('message', (data) => {
      const frame = JSON.parse(String(data));
      if (frame.type === 'ping')
        viewer.send(JSON.stringify({ type: 'pong', at: frame.at, now: Date.now(), online: 1 }));
    });
    this.#speaking ??= this.#speak();
  }

  /** How many are due after so many seconds. */
  #due(seconds: number): number {
    const first = FIRST / FIRST_A_SECOND;
    return Math.floor(seconds < first ? seconds * FIRST_A_SECOND : FIRST + (seconds - first) * this.rate);
  }

  /** What is due since the start, each window: a late timer says more at once, and the rate holds. */
  #speak(): ReturnType<typeof setInterval> {
    const began = performance.now();
    const next = crowd();
    return setInterval(() => {
      const due = this.#due((performance.now() - began) / 1_000) - this.sent;
      if (due <= 0) return;
      const messages = Array.from({ length: due }, () => next((this.sent += 1), Date.now()));
      const batch = JSON.stringify({ type: 'batch', cursor: `1-0-${this.sent}-${this.sent}`, messages });
      for (const viewer of this.#sockets.clients) viewer.send(batch);
    }, WINDOW_MS);
  }
}

async function serve(pages: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://hall');
  const name = pathname === '/' ? 'viewer/index.html' : pathname.slice(1);
  try {
    const file = await readFile(fileURLToPath(new URL(name, pages)));
    response.writeHead(200, {
      'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
      'Content-Security-Policy': CSP,
    });
    response.end(file);
  } catch {
    response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"code":"not_found"}');
  }
}
