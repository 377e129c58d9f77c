// The flight of lines over the stage: takes messages, folds repeats, waits for rows, and ends what is over or taken back.
// It never reads the wire; what moves the nodes is `glide.ts`.

import type { Message } from '@danmaku/client';
import { foldKey } from './fold.js';
import { Glide, type Placed } from './glide.js';
import { Lanes } from './lanes.js';
import { Line } from './line.js';
import type { Tally } from './tally.js';
import type { Taste } from './taste.js';
import { Waiting } from './waiting.js';

const HOLD_MS = 4_000;
const FADE_MS = 220;
const SEEN_MS = 1_500; // a number that changes on a line about to leave is seen by nobody
const TICK_MS = 50;
const PER_TICK_MAX = 3; // a batch of fifty enters as a stream, not as a wall
const WAITING_MAX = 60;
const WAITING_MS = 2_000; // with the trip from the sender still inside the 3 s that count as live
const ROW_HEIGHT = 1.52; // of the font size
const PER_ROW = { few: 1, usual: 2.5, many: 4, all: Infinity }; // lines in a row at once
const AREA = { quarter: 0.25, half: 0.5, full: 1 };

export class Flight {
  #lines = new Set<Line>();
  #open = new Map<string, Line>(); // what a repeat is counted on
  #waiting = new Waiting<Line>(WAITING_MAX, WAITING_MS, (line) => this.#lose(line));
  #pen = document.createElement('canvas').getContext('2d');
  #glide: Glide;
  #lanes = new Lanes(0, { widthMax: 1, speed: 1 });
  #ticking: ReturnType<typeof setTimeout> | 0 = 0;
  #font = { px: 20, family: 'sans-serif' };
  flies = true;

  constructor(
    readonly element: HTMLElement,
    private taste: Taste,
    private readonly tally: Tally,
  ) {
    this.#glide = new Glide(element);
    this.suit(taste);
    new ResizeObserver(() => this.#measure()).observe(element);
  }

  /** Takes a line to fly as soon as there is room; one's own goes first. A hidden page shows now, not the backlog. */
  offer(message: Message): void {
    if (!this.flies || document.hidden || !message.text) return this.tally.end('aside');
    const key = this.taste.folds && !message.own && message.kind === 'chat' ? foldKey(message) : undefined;
    const now = performance.now();
    const same = key === undefined ? undefined : this.#open.get(key);
    if (same && (same.until === 0 || same.until - now > SEEN_MS)) return this.#fold(same, message);
    const line = new Line(message, key);
    if (key !== undefined) this.#open.set(key, line);
    this.#waiting.offer(line, message.own, now);
    this.#pump();
  }

  /** Switches the flight on or off; off clears the stage. */
  fly(flies: boolean): void {
    this.flies = flies;
    if (flies) return;
    this.#waiting.remove((line) => {
      this.#close(line);
      this.tally.end('aside', line.messages.length);
      return true;
    });
    this.#clear();
  }

  /** What was taken back, or is no longer wanted, leaves, and its share of a number. */
  remove(matches: (message: Message) => boolean, why: 'recalled' | 'hidden'): void {
    this.#waiting.remove((line) => {
      this.tally.end(why, this.#takeBack(line, matches));
      return line.messages.length === 0;
    });
    for (const line of this.#lines)
      if (this.#takeBack(line, matches) > 0 && line.messages.length === 0) this.#end(line, FADE_MS);
  }

  /** Lines of another speed or size begin on an empty stage: beside the old ones they would collide. */
  suit(taste: Taste): void {
    const isOtherwise = taste.speed !== this.taste.speed || taste.size !== this.taste.size;
    this.taste = taste;
    this.element.style.opacity = String(taste.opacity);
    this.element.style.setProperty('--size', String(taste.size));
    if (isOtherwise) this.#clear();
    this.#measure();
  }

  #fold(line: Line, message: Message): void {
    line.messages.push(message);
    if (line.until === 0) return; // it is counted when it leaves the queue
    this.tally.end('folded');
    line.count();
  }

  #lose(line: Line): void {
    this.#close(line);
    this.tally.end('dropped', line.messages.length);
  }

  #takeBack(line: Line, matches: (message: Message) => boolean): number {
    const before = line.messages.length;
    line.messages = line.messages.filter((message) => !matches(message));
    if (line.messages.length === 0) this.#close(line);
    else if (line.messages.length < before) line.count();
    return before - line.messages.length;
  }

  #measure(): void {
    const style = getComputedStyle(this.element);
    this.#font = { px: parseFloat(style.fontSize), family: style.fontFamily };
    const rows = Math.floor((this.element.clientHeight * AREA[this.taste.area]) / this.#rowPx);
    this.#lanes.resize(Math.max(1, rows));
    // The stage gets narrower beside the list, and back: never wider than the window.
    const widthMax = Math.max(1, innerWidth);
    // A phone's 360 px take 6 s, a desktop's 1,280 px 9 s.
    const crossMs = Math.min(11_000, 4_800 + 3.3 * widthMax) / this.taste.speed;
    if (this.#lanes.road.widthMax !== widthMax) this.#clear();
    this.#lanes.road = { widthMax, speed: widthMax / crossMs };
    this.#glide.fit(widthMax / crossMs);
  }

  get #rowPx(): number {
    return this.#font.px * ROW_HEIGHT;
  }

  #pump(): void {
    if (this.#ticking) return;
    const now = performance.now();
    for (const line of this.#lines)
      if (line.until <= now) this.#end(line, line.look.position === 'scroll' ? 0 : FADE_MS);
    this.#waiting.place(now, PER_TICK_MAX, (line) => this.#place(line, now));
    if (this.#waiting.size === 0 && this.#lines.size === 0) return;
    this.#ticking = setTimeout(() => {
      this.#ticking = 0;
      this.#pump();
    }, TICK_MS);
  }

  #place(line: Line, now: number): boolean {
    if (!this.#pen || this.#lines.size >= this.#lanes.rows * PER_ROW[this.taste.density]) return false;
    const { span, position } = line.look;
    const width = line.width(this.#pen, this.#font.px, this.#font.family);
    const height = span * this.#rowPx;
    // What is too wide to be held, or finds no row to stand in, flies instead.
    if (position !== 'scroll' && width <= this.element.clientWidth * 0.96) {
      const until = now + Math.min(HOLD_MS, this.#glide.crossMs);
      const row = this.#lanes.hold({ now, span, until, bottom: position === 'bottom' });
      if (row >= 0) return this.#show(line, { moves: false, width, top: row * this.#rowPx, height }, until);
    }
    const row = this.#lanes.fly({ now, span, width });
    if (row < 0) return false;
    return this.#show(line, { moves: true, width, top: row * this.#rowPx, height }, now + this.#glide.crossMs);
  }

  #show(line: Line, place: Omit<Placed, 'node'>, until: number): true {
    const node = line.draw();
    node.classList.toggle('is-held', !place.moves);
    node.style.height = `${place.height}px`;
    node.style.width = `${place.width}px`;
    this.#glide.send({ node, ...place });
    line.until = until;
    this.#lines.add(line);
    this.tally.end('shown');
    this.tally.end('folded', line.messages.length - 1);
    return true;
  }

  #end(line: Line, fadeMs: number): void {
    this.#lines.delete(line);
    this.#close(line);
    line.leave(fadeMs);
  }

  /** Who says the same from now on begins a new line. */
  #close(line: Line): void {
    if (line.key !== undefined && this.#open.get(line.key) === line) this.#open.delete(line.key);
  }

  #clear(): void {
    for (const line of this.#lines) this.#end(line, 0);
    this.#glide.clear();
    const rows = this.#lanes.rows;
    this.#lanes.resize(0);
    this.#lanes.resize(rows);
  }
}
