// Somebody in each room on a good network: what the room showed, and when.

import { Line } from './clients/line.js';
import type { Shown } from './verdict.js';

export class Witness {
  readonly shown: Shown[] = [];
  /** It missed something, so nobody can be judged by it. */
  isBlind = false;

  /** Resolves once it is in the room. */
  enter(url: string, room: string, now: () => number): Promise<void> {
    const blind = () => (this.isBlind = true);
    return new Promise((up, failed) => {
      new Line(
        { url, room, token: undefined },
        { up, gap: blind, seen: ({ id, text }) => this.shown.push({ id, text, at: now() }), down: (why) => (blind(), failed(new Error(`${room}: ${why}`))) },
        { connectMs: 10_000, pingMs: 30_000, answerMs: Infinity },
      );
    });
  }
}
