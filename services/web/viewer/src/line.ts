// One line of the stage: what it stands for, how wide it will be, and its nodes; text is never HTML. Where it flies is
// `flight.ts`.

import type { Message } from '@danmaku/client';
import { cut } from './cut.js';
import { lookOf, type Look } from './look.js';

/** Longer lines end in an ellipsis on the stage, and are whole in the list: they would cross too fast to be read. */
const LETTERS_MAX = 80;
/** Room for "×1234" behind the text, in ems: it is the gap to the next line as long as nobody repeats this one. */
const COUNTER_EM = 1.7;
const PADDING_EM = 0.8;
const PLATE_EM = 1.4; // what is held or one's own stands on a plate

export class Line {
  /** Those who said it, the first one's words being shown. */
  messages: Message[];
  readonly look: Look;
  readonly text: string;
  readonly own: boolean;
  /** Until when it is on the stage; 0 while it waits. */
  until = 0;
  #node: HTMLElement | undefined;

  constructor(
    message: Message,
    /** Under which repeats find it; one's own line is nobody else's. */
    readonly key: string | undefined,
  ) {
    this.messages = [message];
    this.look = lookOf(message);
    this.text = cut(message.text, LETTERS_MAX);
    this.own = message.own;
  }

  /** Measured with a pen, not in the page: no layout for a line that may not find a row. */
  width(pen: CanvasRenderingContext2D, fontPx: number, family: string): number {
    const px = fontPx * this.look.scale;
    const isPlate = this.own || this.look.position !== 'scroll';
    pen.font = `700 ${px}px ${family}`;
    return Math.ceil(pen.measureText(this.text).width + px * (COUNTER_EM + (isPlate ? PLATE_EM : PADDING_EM)));
  }

  draw(): HTMLElement {
    const { kind, color, isDark, scale } = this.look;
    const node = document.createElement('div');
    node.className = `line is-${kind}`;
    node.classList.toggle('is-own', this.own);
    node.classList.toggle('is-dark', isDark);
    node.style.color = color;
    node.style.fontSize = `${scale}em`;
    const text = document.createElement('bdi');
    text.textContent = this.text;
    node.append(text);
    this.#node = node;
    this.count();
    return node;
  }

  /** Shows how many say it, from two on. */
  count(): void {
    if (!this.#node) return;
    const text = this.#node.firstElementChild;
    if (this.messages.length > 1) text?.setAttribute('data-count', `×${this.messages.length}`);
    else text?.removeAttribute('data-count');
  }

  /** Leaves the stage: at once, or fading. */
  leave(fadeMs = 0): void {
    const node = this.#node;
    this.#node = undefined;
    if (!node || fadeMs === 0) return node?.remove();
    node.animate({ opacity: [1, 0] }, { duration: fadeMs, fill: 'forwards' }).onfinish = () => node.remove();
  }
}
