// The flight of lines over the picture, by the library `danmaku` on any media's time. It sets texts, never HTML.

import Danmaku from 'danmaku';
import type { Media } from './media';
import { thinned, widthOf, type Row } from './rows';

const ROW_HEIGHT = 1.65; // of the font size
/** Between two lines in a row, of the font size; a longer line is faster, and must not reach the one before it. */
const SPACE = 4;

/** How often the nodes of lines that have flown are let go. */
const FORGET_EVERY_MS = 30_000;

const MODES = { scroll: 'rtl', top: 'top', bottom: 'bottom' } as const;

/** What the library knows of a line on its way, of which its types say nothing. */
interface Flying {
  time: number;
  node?: HTMLElement | null;
  _utc: number;
}
interface Inside {
  comments: Flying[];
  _: { runningList: Flying[] };
}

export class Stage {
  #flight: Danmaku | undefined;
  #media: Media | undefined;
  #heard: AbortController | undefined;
  /** Lines that were not flown, because too many began with them. */
  thinnedOut = 0;

  constructor(private readonly element: HTMLElement) {
    new ResizeObserver(() => this.#fit()).observe(element);
    setInterval(() => this.#media && this.#settle(this.#media), FORGET_EVERY_MS);
  }

  /** Flies `rows` on the time of `media`, `offset` seconds later. */
  show(rows: readonly Row[], media: Media, offset: number): void {
    this.#flight?.destroy();
    const flown = this.#thinned(rows);
    this.thinnedOut = rows.length - flown.length;
    this.#media = media;
    const comments = flown.map((row) => ({ time: row.at + offset, mode: MODES[row.position], render: () => lineOf(row) }));
    this.#flight = new Danmaku({ container: this.element, media: media as HTMLMediaElement, comments });
    this.#fit();
    // Behind the library's own, which stands first in line.
    this.#heard?.abort();
    this.#heard = new AbortController();
    const { signal } = this.#heard;
    for (const event of ['play', 'ratechange', 'seeking']) media.addEventListener(event, () => this.#settle(media), { signal });
  }

  hide(isHidden: boolean): void {
    if (isHidden) this.#flight?.hide();
    else this.#flight?.show();
  }

  #thinned(rows: readonly Row[]): Row[] {
    const fontPx = parseFloat(getComputedStyle(this.element).fontSize);
    const [width, crossing] = [this.element.clientWidth, this.#crossing()];
    const lanes = Math.max(1, Math.floor(this.element.clientHeight / (fontPx * ROW_HEIGHT)));
    const holds = (row: Row) => {
      if (row.position !== 'scroll') return crossing;
      const line = widthOf(row) * fontPx;
      return (crossing * (line + SPACE * fontPx)) / (width + line);
    };
    return thinned(rows, lanes, holds);
  }

  /** A phone's 390 px take 6 s, a desktop's 1,280 px 9 s. */
  #crossing(): number {
    return Math.min(11, Math.max(6, 4.8 + 0.0033 * this.element.clientWidth));
  }

  #fit(): void {
    if (!this.#flight) return;
    this.#flight.resize();
    this.#flight.speed = this.element.clientWidth / this.#crossing();
  }

  /** The library takes a line's place from when it began, as if the rate had always been what it is now; and it keeps the nodes of
   * lines that have flown, of which a night has many. */
  #settle(media: Media): void {
    const inside = this.#flight as unknown as Inside;
    if (media !== this.#media || !inside?._) return;
    const [now, at] = [performance.now() / 1000, media.currentTime];
    for (const line of inside._.runningList) line._utc = now - (at - line.time) / media.playbackRate;
    const flying = new Set(inside._.runningList);
    for (const line of inside.comments) if (line.node && !flying.has(line)) line.node = null;
  }
}

function lineOf(row: Row): HTMLElement {
  const line = document.createElement('span');
  line.className = `line is-${row.kind} is-${row.size}`;
  const text = document.createElement('bdi');
  // Who says it is in the list; on the stage only where it is the point.
  text.textContent = row.kind === 'gift' || row.kind === 'super' ? `${row.name} ${row.text}` : row.text;
  if (row.color && row.kind === 'chat') text.style.color = row.color;
  line.append(text);
  return line;
}
