// The server's clock, and how far away it is, as this client knows it. Pure; every time is an argument in milliseconds.

import { number } from './read.js';

const SAMPLES_MAX = 8;

/** Clocks drift, and times are rounded: 8 pings of 55 s at 100 ppm are 44 ms. */
const DRIFT_MS = 50;

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
    const found = server - (sent + now) / 2;
    // One that cannot be true at once with the newest is of before a clock jumped, or stood still in a sleep.
    samples = samples.filter((one) => Math.abs(one[1] - found) <= (one[0] + trip) / 2 + DRIFT_MS).slice(1 - SAMPLES_MAX);
    samples.push([trip, found]);
    offset = samples.reduce((best, one) => (one[0] < best[0] ? one : best))[1];
    own.roundTripMs = (3 * (own.roundTripMs ?? trip) + trip) / 4;
  }
}
