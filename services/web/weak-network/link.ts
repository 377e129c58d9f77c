// One device's way to the server: a TCP proxy that is slow, stands still, falls silent or breaks when it is told to.
// It knows no schedule, no WebSocket and no danmaku, so the browser tests can use it too.

import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Lane, type Item } from './lane.js';

export interface LinkOptions {
  /** Where the server is, asked for each connection: it may come back elsewhere. */
  to: () => { host: string; port: number };
  roundTripMs?: number;
  /** A connection reached the server, or left it. */
  count?: (change: 1 | -1) => void;
}

export class Link {
  #server: Server | undefined;
  #pairs = new Set<Pair>();
  #stallEnds = 0;

  constructor(readonly options: LinkOptions) {}

  /** Answers with the port that it chose. */
  listen(host = '127.0.0.1'): Promise<number> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (device) => {
      const pair = new Pair(device, this.options, () => this.#stallEnds, () => this.#pairs.delete(pair));
      this.#pairs.add(pair);
    });
    this.#server = server;
    return new Promise((done, failed) => {
      server.once('error', failed);
      server.listen(0, host, () => done((server.address() as AddressInfo).port));
    });
  }

  /** For `ms` nothing moves, in neither direction; afterwards all of it arrives. */
  stall(ms: number): void {
    this.#stallEnds = Math.max(this.#stallEnds, performance.now() + ms);
  }

  /** What is open now is swallowed from now on, and neither end is told. New connections work. */
  silence(): void {
    for (const pair of this.#pairs) pair.silence();
  }

  /** What is open now is reset, at both ends and at once. */
  cut(): void {
    for (const pair of this.#pairs) pair.cut();
  }

  close(): void {
    this.#server?.close();
    this.cut();
  }
}

/** One connection: the device's end, the server's end once it is opened, and the lanes between them. */
class Pair {
  #up: Lane;
  #down: Lane;
  #server: Socket | undefined;

  constructor(
    readonly device: Socket,
    readonly options: LinkOptions,
    stallEnds: () => number,
    readonly over: () => void,
  ) {
    const roundTripMs = options.roundTripMs ?? 0;
    this.#up = new Lane(roundTripMs / 2, stallEnds, (item) => this.#toServer(item));
    this.#down = new Lane(roundTripMs / 2, stallEnds, (item) => give(device, item, this.#down));
    this.#up.send('open');
    read(device, this.#up);
    device.on('close', () => this.#closed());
  }

  #toServer(item: Item): void {
    if (item === 'open') this.#open();
    else if (this.#server) give(this.#server, item, this.#up);
  }

  #open(): void {
    const server = connect({ ...this.options.to(), allowHalfOpen: true, noDelay: true });
    this.#server = server;
    read(server, this.#down);
    // It is the server's until the server ends it, whatever the device knows of that.
    let isCounted = false;
    const left = () => {
      if (isCounted) this.options.count?.(-1);
      isCounted = false;
    };
    server.on('connect', () => {
      isCounted = true;
      this.options.count?.(1);
    });
    server.on('end', left);
    server.on('close', left);
    server.on('close', () => this.#closed());
  }

  /** As on a real network, the server's end of a silent connection outlives the device's, until the server has had enough. */
  silence(): void {
    this.#up.silence();
    this.#down.silence();
  }

  cut(): void {
    this.silence();
    this.device.resetAndDestroy();
    this.#server?.resetAndDestroy();
  }

  #closed(): void {
    if (this.device.closed && (this.#server?.closed ?? this.#up.silent)) this.over();
  }
}

/** What the socket says goes on the lane. */
function read(socket: Socket, lane: Lane): void {
  let ended = false;
  socket.on('data', (bytes) => {
    lane.send(bytes);
    if (lane.isFull) {
      socket.pause();
      lane.onRoom = () => socket.resume();
    }
  });
  socket.on('end', () => {
    ended = true;
    if (lane.silent) socket.end();
    else lane.send('end');
  });
  socket.on('error', () => {}); // 'close' follows
  socket.on('close', () => ended || lane.send('reset'));
}

/** What arrives from the lane goes to the socket; one that does not drain holds the lane up. */
function give(socket: Socket, item: Item, lane: Lane): void {
  if (item === 'reset') socket.resetAndDestroy();
  else if (item === 'end') socket.end();
  else if (item !== 'open' && !socket.write(item)) {
    lane.hold();
    socket.once('drain', () => lane.go());
  }
}
