// One direction of one connection: what goes in comes out later, in order, unless the link stands still or is silent. No sockets.

import { Delay } from './delay.js';

/** The connection opens, says something, ends or breaks. */
export type Item = 'open' | 'end' | 'reset' | Uint8Array;

/** On their way in one direction; above it the sender waits. As much as the buffers of a phone and a mast hold. */
const BYTES_MAX = 256 * 1024;

export class Lane {
  onRoom = () => {};
  silent = false;
  #delay: Delay<Item>;
  #bytes = 0;
  #held = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    ms: number,
    readonly stallEnds: () => number,
    readonly arrive: (item: Item) => void,
  ) {
    this.#delay = new Delay(ms);
  }

  get isFull(): boolean {
    return this.#bytes > BYTES_MAX;
  }

  send(item: Item): void {
    if (this.silent) return;
    this.#bytes += size(item);
    this.#delay.push(item, performance.now());
    this.#run();
  }

  /** Nothing arrives until `go`. */
  hold(): void {
    this.#held = true;
  }

  go(): void {
    this.#held = false;
    this.#run();
  }

  /** What is on its way is lost, and so is what comes. */
  silence(): void {
    this.silent = true;
    this.#bytes = 0;
    this.#delay.clear();
    clearTimeout(this.#timer);
    this.onRoom();
  }

  /** Lets arrive what is due, and comes back for the rest. */
  #run(): void {
    clearTimeout(this.#timer);
    while (!this.#held && performance.now() >= this.stallEnds()) {
      const item = this.#delay.take(performance.now());
      if (item === undefined) break;
      this.#bytes -= size(item);
      this.arrive(item);
    }
    if (!this.isFull) this.onRoom();
    if (this.#held || this.#delay.next === Infinity) return;
    const wait = Math.max(this.#delay.next, this.stallEnds()) - performance.now();
    this.#timer = setTimeout(() => this.#run(), Math.ceil(wait));
  }
}

function size(item: Item): number {
  return typeof item === 'string' ? 0 : item.byteLength;
}
