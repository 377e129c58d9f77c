// Danmaku that are ahead of the picture wait, so that nobody reads of a goal before it falls. Pure; it reads no clock.

import type { Message, Picture } from './types.js';

/** A minute behind the live edge at the judge's 200 messages a second; above it the oldest are dropped, and counted. */
const WAITING_MAX = 12_000;

/** A message this far behind the picture when it comes out is history: the viewer has skipped ahead. */
const LATE_MS = 5_000;

/** The server time of the picture that is seen now. */
export function pictureTime(picture: Picture, serverNow: number): number | undefined {
  if (typeof picture === 'function') return picture();
  const { currentTime, seekable } = picture;
  // Where the stream carries its own dates, they are exact.
  const startedAt = picture.getStartDate?.().getTime() ?? NaN;
  if (Number.isFinite(startedAt)) return startedAt + currentTime * 1_000;
  // Elsewhere: how far behind the live edge this viewer is.
  const edge = seekable.length > 0 ? seekable.end(seekable.length - 1) : NaN;
  return Number.isFinite(edge) ? serverNow - Math.max(0, edge - currentTime) * 1_000 : undefined;
}

export class Delay {
  #waiting: Message[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  has(id: string): boolean {
    return this.#waiting.some((message) => message.id === id);
  }

  /**
   * Keeps a message until its time; the answer counts what had to go for it. Nothing was said in the future, so `at` is
   * never later than now.
   */
  add(message: Message, serverNow: number): number {
    this.#waiting.push(message.at > serverNow ? { ...message, at: serverNow } : message);
    return this.#waiting.splice(0, this.#waiting.length - WAITING_MAX).length;
  }

  /**
   * What is due by now, in the order of the room. What waited for its moment is live then. A picture that cannot say
   * where it is follows the clock.
   */
  due(picture: Picture | null, delayMs: number, serverNow: number): Message[] {
    if (this.size === 0) return [];
    const at = picture ? pictureTime(picture, serverNow) : serverNow;
    const horizon = (Number.isFinite(at) ? at! : serverNow) - (delayMs || 0);
    const due = this.#waiting.filter(({ at }) => at <= horizon);
    if (due.length > 0) this.#waiting = this.#waiting.filter(({ at }) => at > horizon);
    return due.map((message) => ({ ...message, replay: horizon - message.at > LATE_MS }));
  }

  remove(matches: (message: Message) => boolean): void {
    this.#waiting = this.#waiting.filter((message) => !matches(message));
  }
}
