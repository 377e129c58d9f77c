// Which row a line takes so that no two collide; pure geometry in pixels and milliseconds, it knows no DOM.

/** Two lines in one row that come closer read as one sentence. */
const GAP_PX = 12;

/** Two crossings of a wide stage: who holds lines now and then finds a row for the second one. */
const KEPT_MS = 20_000;

/** A line that crosses: when it entered, and how wide it is. */
interface Flyer {
  start: number;
  width: number;
}

/** Every line crosses in the same time, so a wider one is faster: the law of the library that moves them (`glide.ts`). */
export interface Road {
  /** The widest that the stage may become while lines cross it. */
  widthMax: number;
  /** Of the stage's width, in pixels a millisecond: a stage of any width is crossed in width / speed. */
  speed: number;
}

export interface Held {
  now: number;
  span: number;
  until: number;
  bottom: boolean;
}

export class Lanes {
  #flyers: (Flyer | null)[] = []; // the last line sent into each row
  #heldUntil: number[] = [];
  #keptUntil: number[] = []; // no new flyer before

  constructor(
    rows: number,
    public road: Road,
  ) {
    this.resize(rows);
  }

  get rows(): number {
    return this.#heldUntil.length;
  }

  /** More or fewer rows; what still flies in the rows that stay is remembered. */
  resize(rows: number): void {
    while (this.rows > rows) {
      this.#heldUntil.pop();
      this.#keptUntil.pop();
      this.#flyers.pop();
    }
    while (this.rows < rows) {
      this.#heldUntil.push(0);
      this.#keptUntil.push(0);
      this.#flyers.push(null);
    }
  }

  /** Books the first `span` free neighbouring rows for a line that enters now; -1 when there are none. */
  fly({ now, span, width }: { now: number; span: number; width: number }): number {
    for (let row = 0; row + span <= this.rows; row += 1) {
      if (!this.#every(row, span, (at) => this.#isOpen(at, now) && this.#isClear(at, now, width))) continue;
      this.#flyers.fill({ start: now, width }, row, row + span);
      return row;
    }
    return -1;
  }

  /**
   * Books rows for a centred line, from its edge inward, rows that nobody crosses; -1 when there are none. Then rows at
   * that edge are kept free of new flyers for a while, so that the next one finds them empty.
   */
  hold({ now, span, until, bottom }: Held): number {
    const edge = this.#nearEdge(bottom, span);
    const free = edge.filter((row) => this.#every(row, span, (at) => this.#isFreeFrom(at, now)));
    const row = free.find((one) => this.#every(one, span, (at) => this.#isGone(at, now))) ?? -1;
    if (row >= 0) this.#heldUntil.fill(until, row, row + span);
    else this.#keep(free[0] ?? -1, span, now);
    const [first = -1] = edge;
    this.#keep(first, span, now);
    return row;
  }

  #keep(row: number, span: number, now: number): void {
    if (row >= 0) this.#keptUntil.fill(now + KEPT_MS, row, row + span);
  }

  /** Held lines may take a quarter of the rows at either edge, so that half of them are always left to fly. */
  #nearEdge(bottom: boolean, span: number): number[] {
    const reach = Math.min(this.rows, Math.max(2, Math.ceil(this.rows / 4)));
    const starts = Array.from({ length: Math.max(0, reach - span + 1) }, (_, row) => row);
    return bottom ? starts.map((row) => this.rows - span - row) : starts;
  }

  #every(row: number, span: number, holds: (at: number) => boolean): boolean {
    for (let at = row; at < row + span; at += 1) if (!holds(at)) return false;
    return true;
  }

  #isFreeFrom(row: number, now: number): boolean {
    return (this.#heldUntil[row] ?? 0) <= now;
  }

  /** For flyers. */
  #isOpen(row: number, now: number): boolean {
    return this.#isFreeFrom(row, now) && (this.#keptUntil[row] ?? 0) <= now;
  }

  #isGone(row: number, now: number): boolean {
    const before = this.#flyers[row];
    return !before || now - before.start >= this.road.widthMax / this.road.speed;
  }

  /**
   * Motion is linear, so a gap that is open at both ends of the way is open all along it: when the new line enters, the one
   * before has its tail inside, and when that one has left, the new one's head is still on the stage. Both hold on every
   * stage narrower than the widest if they hold on that one.
   */
  #isClear(row: number, now: number, width: number): boolean {
    const before = this.#flyers[row];
    if (!before) return true;
    const { widthMax, speed } = this.road;
    const way = speed * (now - before.start);
    const isInside = way * (1 + before.width / widthMax) >= before.width + GAP_PX;
    return isInside && way >= (width * widthMax) / (widthMax + width);
  }
}
