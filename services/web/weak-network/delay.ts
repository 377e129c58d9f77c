// What is on its way over a slow link, in order. Values with time as an argument: no sockets, no timers.

export class Delay<Item> {
  #waiting: { due: number; item: Item }[] = [];
  #last = 0;

  constructor(readonly ms: number) {}

  /** Due `ms` after it was sent, and never before what was sent earlier. */
  push(item: Item, sentAt: number): void {
    this.#last = Math.max(this.#last, sentAt + this.ms);
    this.#waiting.push({ due: this.#last, item });
  }

  /** The next one, if it has arrived by now. */
  take(now: number): Item | undefined {
    return this.next <= now ? this.#waiting.shift()?.item : undefined;
  }

  /** When the next one arrives. */
  get next(): number {
    return this.#waiting[0]?.due ?? Infinity;
  }

  clear(): void {
    this.#waiting = [];
  }
}
