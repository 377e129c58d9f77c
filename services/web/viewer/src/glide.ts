// Lines in motion: the library `danmaku` in live mode, and the three things in which we know better than it does.
// Which row is free, and what a line looks like, is not decided here.

import Danmaku, { type Comment } from 'danmaku/dist/esm/danmaku.dom.js';

export interface Placed {
  node: HTMLElement;
  /** Crosses the stage, or stands in its middle. */
  moves: boolean;
  top: number;
  width: number;
  height: number;
}

export class Glide {
  #danmaku: Danmaku;
  #speed = 0;

  constructor(element: HTMLElement) {
    this.#danmaku = new Danmaku({ container: element });
  }

  /** The stage has another size; `speed` in pixels a millisecond. */
  fit(speed: number): void {
    this.#speed = speed;
    this.#danmaku.speed = speed * 1000;
    this.#danmaku.resize();
  }

  /** How long a line is on its way. */
  get crossMs(): number {
    return this.#danmaku._.width / this.#speed;
  }

  send({ node, moves, top, width, height }: Placed): void {
    this.#forget();
    this.#danmaku.emit({ mode: moves ? 'rtl' : 'top', render: () => node });
    const line = this.#danmaku.comments.at(-1);
    if (!line) return;
    // Its own lanes lay a line over others when all are taken; ours let none in then, so ours say where.
    Object.defineProperty(line, 'y', { get: () => top, set: () => {} });
    // Measured already, with a pen: else it asks the page for a layout each time.
    Object.assign(line, { width, height } satisfies Partial<Comment>);
  }

  clear(): void {
    this.#danmaku.clear();
  }

  /** In live mode it keeps what it has shown, though it never looks at it again: in ten minutes that would be 20,000 lines. */
  #forget(): void {
    const { _: inside, comments } = this.#danmaku;
    comments.splice(0, inside.position);
    inside.position = 0;
  }
}
