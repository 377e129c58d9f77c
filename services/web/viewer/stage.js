// The flight of lines over the stage: measures, places and moves text nodes; it never reads the wire and never sets HTML.

import { Lanes } from './lanes.js';
import { lookOf } from './look.js';
import { Waiting } from './waiting.js';

const HOLD_MS = 4_000;
const TICK_MS = 50;
const PER_TICK_MAX = 3; // a batch of fifty enters as a stream, not as a wall
const WAITING_MAX = 60;
const WAITING_MS = 2_000; // with the trip from the sender still inside the 3 s that count as live
const ON_SCREEN_PER_ROW = 5; // more would be unreadable and costs a phone its frame rate
const LONG_LINE_SPEEDUP_MAX = 1.6;
const ROW_HEIGHT = 1.52; // of the font size

export class Stage {
  #lines = new Set(); // {node, message, motion}
  #waiting = new Waiting(WAITING_MAX, WAITING_MS);
  #lanes = new Lanes(1);
  #pen = document.createElement('canvas').getContext('2d');
  #ticking = 0;

  /** `onSkip(count)` hears how many lines were not flown because the stage was full. */
  constructor(element, onSkip) {
    this.element = element;
    this.onSkip = onSkip;
    this.flies = true;
    this.#measure();
    new ResizeObserver(() => this.#measure()).observe(element);
  }

  /** Takes a line to fly as soon as there is room; one's own goes first. A hidden page shows now, not the backlog. */
  offer(message, own) {
    if (!this.flies || document.hidden || !message.text) return;
    const dropped = this.#waiting.offer({ message, own }, own, performance.now());
    if (dropped) this.onSkip(dropped);
    this.#pump();
  }

  /** Switches the flight on or off; off clears the stage. */
  fly(flies) {
    this.flies = flies;
    if (flies) return;
    this.#waiting.clear();
    for (const line of this.#lines) this.#end(line);
    this.#lanes.resize(0);
    this.#measure();
  }

  remove(matches) {
    this.#waiting.remove(({ message }) => matches(message));
    for (const line of this.#lines) if (matches(line.message)) this.#fade(line);
  }

  markOwn(id) {
    for (const line of this.#lines) if (line.message.id === id) line.node.classList.add('is-own');
  }

  #measure() {
    const style = getComputedStyle(this.element);
    this.fontPx = parseFloat(style.fontSize);
    this.family = style.fontFamily;
    this.width = this.element.clientWidth;
    this.rowPx = this.fontPx * ROW_HEIGHT;
    this.#lanes.resize(Math.max(1, Math.floor(this.element.clientHeight / this.rowPx)));
    // A phone's 360 px take 6 s, a desktop's 1,280 px 9 s.
    this.crossMs = Math.min(11_000, Math.max(6_000, 4_800 + 3.3 * this.width));
  }

  #pump() {
    if (this.#ticking) return;
    const late = this.#waiting.place(performance.now(), PER_TICK_MAX, (line) => this.#place(line));
    if (late) this.onSkip(late);
    if (this.#waiting.size === 0) return;
    this.#ticking = setTimeout(() => {
      this.#ticking = 0;
      this.#pump();
    }, TICK_MS);
  }

  #place({ message, own }) {
    if (this.#lines.size >= this.#lanes.rows * ON_SCREEN_PER_ROW) return false;
    const look = lookOf(message);
    const width = this.#widthOf(message.text, look, own);
    // What is too wide to be held whole flies instead.
    const isHeld = look.position !== 'scroll' && width <= this.width * 0.96;
    const place = isHeld ? this.#hold(look) : this.#fly(look, width);
    if (!place) return false;
    this.#show(this.#nodeFor(message, look, own), message, place);
    return true;
  }

  /** Measured with a pen, not in the page: no layout for a line that may not find a row. */
  #widthOf(text, { scale, position }, own) {
    const px = this.fontPx * scale;
    const paddingEm = own || position !== 'scroll' ? 2 : 1;
    this.#pen.font = `700 ${px}px ${this.family}`;
    return Math.ceil(this.#pen.measureText(text).width + px * paddingEm);
  }

  #fly({ span }, width) {
    const usual = (this.width + width) / this.crossMs;
    const speed = Math.min(usual, (LONG_LINE_SPEEDUP_MAX * this.width) / this.crossMs);
    const row = this.#lanes.fly({ now: timelineNow(), span, width, speed, from: this.width });
    if (row < 0) return null;
    const moves = [`translate3d(${this.width}px, 0, 0)`, `translate3d(${-width}px, 0, 0)`];
    return { row, span, frames: { transform: moves }, duration: (this.width + width) / speed };
  }

  #hold({ span, position }) {
    const now = timelineNow();
    const row = this.#lanes.hold({ now, span, until: now + HOLD_MS, bottom: position === 'bottom' });
    if (row < 0) return null;
    return {
      row,
      span,
      isHeld: true,
      frames: { opacity: [0, 1, 1, 0], offset: [0, 0.05, 0.93, 1] },
      duration: HOLD_MS,
    };
  }

  #nodeFor(message, look, own) {
    const node = document.createElement('div');
    node.className = `line is-${look.kind}`;
    node.classList.toggle('is-own', own);
    node.classList.toggle('is-dark', look.isDark);
    node.style.color = look.color;
    node.style.fontSize = `${look.scale}em`;
    const text = document.createElement('bdi');
    text.textContent = message.text;
    node.append(text);
    return node;
  }

  #show(node, message, { row, span, isHeld, frames, duration }) {
    node.classList.toggle('is-held', Boolean(isHeld));
    node.style.top = `${row * this.rowPx}px`;
    node.style.height = `${span * this.rowPx}px`;
    this.element.append(node);
    const line = { node, message, motion: node.animate(frames, { duration, easing: 'linear', fill: 'both' }) };
    line.motion.startTime = timelineNow();
    this.#lines.add(line);
    line.motion.onfinish = () => this.#end(line);
  }

  #fade(line) {
    line.motion.onfinish = null;
    line.motion.pause();
    line.node.firstChild.animate({ opacity: [1, 0] }, { duration: 220, fill: 'forwards' }).onfinish = () =>
      this.#end(line);
  }

  #end(line) {
    this.#lines.delete(line);
    line.motion.cancel();
    line.node.remove();
  }
}

/** The clock the animations run on: with any other, a late frame would push two lines together. */
function timelineNow() {
  return document.timeline.currentTime ?? 0;
}
