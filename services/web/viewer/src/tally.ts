// What became of every message that came: the page's own books, which add up. Pure.

/**
 * `received` = `shown` + `folded` + `dropped` + `hidden` + `recalled` + `aside`, once nothing waits.
 *
 * shown: a line of its own on the stage. folded: a number more on such a line. dropped: the stage was full. hidden: this
 * viewer does not want it. recalled: taken back while it waited. aside: not for the stage, as history, gifts, and all that
 * comes while the flight is off or the page hidden.
 */
export const FATES = ['shown', 'folded', 'dropped', 'hidden', 'recalled', 'aside'] as const;
export type Fate = (typeof FATES)[number];

export class Tally {
  received = 0;
  readonly #fates: Record<Fate, number> = { shown: 0, folded: 0, dropped: 0, hidden: 0, recalled: 0, aside: 0 };

  come(count = 1): void {
    this.received += count;
  }

  end(fate: Fate, count = 1): void {
    this.#fates[fate] += count;
  }

  get fates(): Readonly<Record<Fate, number>> {
    return this.#fates;
  }

  /** What came and has no fate yet: it waits for a row. */
  get waiting(): number {
    return this.received - FATES.reduce((sum, fate) => sum + this.#fates[fate], 0);
  }
}
