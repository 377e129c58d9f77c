// The server's clock, and how far away it is, as this client knows it. Pure; every time is an argument in milliseconds.

import { number } from './read.js';

const SAMPLES_MAX = 8;

export function serverClock() {
  /** The quickest round trip bends the offset least. */
  let samples: [trip: number, offset: number][] = [];
  let offset = 0;

  const own = {
    /** The mean of the last few round trips. */
    roundTripMs: undefined as number | undefined,
    hello,
    pong,
    toServer: (now: number): number => now + offset,
  };
  return own;

  /**
   * Another connection, perhaps another node. Its time, said without a round trip, is good enough until the first pong.
   */
  function hello(serverNow: unknown, now: number): void {
    samples = [];
    own.roundTripMs = undefined;
    const server = number(serverNow);
    if (server !== undefined) offset = server - now;
  }

  function pong(sentAt: unknown, serverNow: unknown, now: number): void {
    const [sent, server] = [number(sentAt), number(serverNow)];
    if (sent === undefined || server === undefined || sent > now) return;
    const trip = now - sent;
    samples = [...samples, [trip, server - (sent + now) / 2] as [number, number]].slice(-SAMPLES_MAX);
    offset = samples.reduce((best, one) => (one[0] < best[0] ? one : best))[1];
    own.roundTripMs = (3 * (own.roundTripMs ?? trip) + trip) / 4;
  }
}
