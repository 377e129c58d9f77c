// Lines that wait a moment for a free row, so that a burst is spread out instead of lost; pure, time is an argument.

interface Item<Line> {
  line: Line;
  first: boolean;
  since: number;
}

export class Waiting<Line> {
  #items: Item<Line>[] = []; // those that go first in front

  /** Nothing waits longer than `waitMs`: what is shown as live must be live. `lost(line)` hears of each that goes unseen. */
  constructor(
    readonly max: number,
    readonly waitMs: number,
    readonly lost: (line: Line) => void,
  ) {}

  get size(): number {
    return this.#items.length;
  }

  /** Queues a line; when full, the oldest that may gives way. */
  offer(line: Line, first: boolean, now: number): void {
    const item = { line, first, since: now };
    const behind = first ? this.#items.findIndex((one) => !one.first) : -1;
    if (behind >= 0) this.#items.splice(behind, 0, item);
    else this.#items.push(item);
    if (this.#items.length <= this.max) return;
    const oldest = this.#items.findIndex((one) => !one.first);
    const [gone] = this.#items.splice(Math.max(oldest, 0), 1);
    if (gone) this.lost(gone.line);
  }

  /** Places at most `most` lines, passing over those that do not fit yet. */
  place(now: number, most: number, fits: (line: Line) => boolean): void {
    const late = this.#items.filter((one) => now - one.since > this.waitMs);
    this.#items = this.#items.filter((one) => now - one.since <= this.waitMs);
    let placed = 0;
    this.#items = this.#items.filter((one) => {
      if (placed >= most || !fits(one.line)) return true;
      placed += 1;
      return false;
    });
    for (const { line } of late) this.lost(line);
  }

  /** Takes out what matches; nobody hears of it. */
  remove(matches: (line: Line) => boolean): void {
    this.#items = this.#items.filter((one) => !matches(one.line));
  }
}
