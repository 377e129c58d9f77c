// The server's clock, and how far away it is, as this client knows it. Pure; every time is an argument in milliseconds.

import { number } from './read.js';

const SAMPLES_MAX = 8;

export class Clock {
  /** The quickest round trip bends the offset least. */
  #samples: [trip: number, offset: number][] = [];
  #offset = 0;
  /** The mean of the last few round trips. */
  roundTripMs: number | undefined;

  /**
   * Another connection, perhaps another node. Its time, said without a round trip, is good enough until the first pong.
   */
  hello(serverNow: unknown, now: number): void {
    this.#samples = [];
    this.roundTripMs = undefined;
    const server = number(serverNow);
    if (server !== undefined) this.#offset = server - now;
  }

  pong(sentAt: unknown, serverNow: unknown, now: number): void {
    const [sent, server] = [number(sentAt), number(serverNow)];
    if (sent === undefined || server === undefined || sent > now) return;
    const trip = now - sent;
    this.#samples = [...this.#samples, [trip, server - (sent + now) / 2] as [number, number]].slice(-SAMPLES_MAX);
    this.#offset = this.#samples.reduce((best, one) => (one[0] < best[0] ? one : best))[1];
    this.roundTripMs = (3 * (this.roundTripMs ?? trip) + trip) / 4;
  }

  toServer(now: number): number {
    return now + this.#offset;
  }
}
