// Which row a line takes so that no two collide; pure geometry in pixels and milliseconds, it knows no DOM.

/** A gap that keeps two lines in one row from reading as one sentence. */
const GAP_PX = 28;

export class Lanes {
  #flyers = []; // the last line sent into each row: {start, from, width, speed}
  #heldUntil = [];

  constructor(rows) {
    this.resize(rows);
  }

  get rows() {
    return this.#heldUntil.length;
  }

  /** More or fewer rows; what still flies in the rows that stay is remembered. */
  resize(rows) {
    while (this.rows > rows) {
      this.#heldUntil.pop();
      this.#flyers.pop();
    }
    while (this.rows < rows) {
      this.#heldUntil.push(0);
      this.#flyers.push(null);
    }
  }

  /** Books the first `span` free neighbouring rows for a line that enters at x = `from` now; -1 when there are none. */
  fly({ now, span, width, speed, from }) {
    const line = { start: now, from, width, speed };
    for (let row = 0; row + span <= this.rows; row += 1) {
      if (this.#every(row, span, (at) => this.#heldUntil[at] <= now && isClear(this.#flyers[at], line))) {
        this.#flyers.fill(line, row, row + span);
        return row;
      }
    }
    return -1;
  }

  /** Books rows for a centred line, from its edge inward, rows that nobody crosses first. */
  hold({ now, span, until, bottom }) {
    const rows = this.#nearEdge(bottom, span);
    const free = rows.filter((row) => this.#every(row, span, (at) => this.#heldUntil[at] <= now));
    const row = free.find((one) => this.#every(one, span, (at) => isGone(this.#flyers[at], now))) ?? free[0] ?? -1;
    if (row >= 0) this.#heldUntil.fill(until, row, row + span);
    return row;
  }

  /** Held lines may take a quarter of the rows at either edge, so that half of them are always left to fly. */
  #nearEdge(bottom, span) {
    const reach = Math.min(this.rows, Math.max(2, Math.ceil(this.rows / 4)));
    const starts = Array.from({ length: Math.max(0, reach - span + 1) }, (_, row) => row);
    return bottom ? starts.map((row) => this.rows - span - row) : starts;
  }

  #every(row, span, holds) {
    for (let at = row; at < row + span; at += 1) if (!holds(at)) return false;
    return true;
  }
}

/** Motion is linear, so a gap that is open at both ends of the way is open all along it. */
function isClear(before, line) {
  if (!before) return true;
  const tail = before.from + before.width - before.speed * (line.start - before.start);
  if (tail + GAP_PX > line.from) return false;
  return line.start + line.from / line.speed >= goneAt(before);
}

function isGone(flyer, now) {
  return !flyer || goneAt(flyer) <= now;
}

function goneAt(flyer) {
  return flyer.start + (flyer.from + flyer.width) / flyer.speed;
}
