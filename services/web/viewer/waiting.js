// Lines that wait a moment for a free row, so that a burst is spread out instead of lost; pure, time is an argument.

export class Waiting {
  #items = []; // {line, first, since}, those that go first in front

  /** Nothing waits longer than `waitMs`: what is shown as live must be live. */
  constructor(max, waitMs) {
    this.max = max;
    this.waitMs = waitMs;
  }

  get size() {
    return this.#items.length;
  }

  /** Queues a line; returns how many had to give way for it (when full: the oldest that may). */
  offer(line, first, now) {
    const item = { line, first, since: now };
    const behind = first ? this.#items.findIndex((one) => !one.first) : -1;
    if (behind >= 0) this.#items.splice(behind, 0, item);
    else this.#items.push(item);
    if (this.#items.length <= this.max) return 0;
    const oldest = this.#items.findIndex((one) => !one.first);
    this.#items.splice(Math.max(oldest, 0), 1);
    return 1;
  }

  /** Places at most `most` lines, passing over those that do not fit yet; returns how many waited too long. */
  place(now, most, fits) {
    const before = this.#items.length;
    this.#items = this.#items.filter((one) => now - one.since <= this.waitMs);
    const late = before - this.#items.length;
    let placed = 0;
    this.#items = this.#items.filter((one) => {
      if (placed >= most || !fits(one.line)) return true;
      placed += 1;
      return false;
    });
    return late;
  }

  /** Takes out what matches, uncounted. */
  remove(matches) {
    this.#items = this.#items.filter((one) => !matches(one.line));
  }

  clear() {
    this.#items = [];
  }
}
