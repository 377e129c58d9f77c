// The bar on top: the connection's state in words and the room's figures; it decides nothing.

import type { Mode, State } from '@danmaku/client';
import type { Fate } from './tally.js';
import type { Words } from './words.js';

/** Figures are drawn so often: 200 messages a second would write them 200 times. */
const DRAW_MS = 250;

export interface StatusParts {
  bar: HTMLElement;
  state: HTMLElement;
  online: HTMLElement;
  latency: HTMLElement;
  received: HTMLElement;
  dropped: HTMLElement;
  skipped: HTMLElement;
  mode: HTMLElement;
  curtain: HTMLElement;
  why: HTMLElement;
}

export class Status {
  #tick: ReturnType<typeof setInterval> | undefined;
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #lost = 0;
  #isAtLeast = false;
  #ageMs: number | undefined;

  constructor(
    private readonly parts: StatusParts,
    private readonly words: Words,
    private readonly books: { readonly received: number; readonly fates: Readonly<Record<Fate, number>> },
  ) {
    this.#draw();
  }

  show(state: State): void {
    clearInterval(this.#tick);
    const { bar, curtain, why } = this.parts;
    bar.dataset.state = state.kind;
    this.#write(state);
    if (state.kind === 'waiting') this.#tick = setInterval(() => this.#write(state), 250);
    curtain.hidden = state.kind !== 'stopped';
    if (state.kind === 'stopped') why.textContent = this.words.why(state.code);
  }

  #write(state: State): void {
    const left = state.kind === 'waiting' ? Math.max(0, Math.ceil((state.until - Date.now()) / 1000)) : 0;
    const text = this.words.state[state.kind](left);
    if (this.parts.state.textContent !== text) this.parts.state.textContent = text;
    this.parts.state.title = 'code' in state ? this.words.why(state.code) : '';
  }

  /** The people in the room; `isAbout` when this node counts only its own. */
  people(count: number, isAbout: boolean): void {
    this.parts.online.hidden = false;
    write(this.parts.online, `${isAbout ? '≈' : ''}${this.words.number(count)}`);
  }

  age(ms: number): void {
    this.#ageMs = ms;
    this.changed();
  }

  /** Lines that will not come; how many is not always known. */
  lost(count: number | undefined): void {
    this.#lost += count ?? 0;
    this.#isAtLeast ||= count === undefined;
    this.changed();
  }

  changed(): void {
    this.#drawing ??= setTimeout(() => this.#draw(), DRAW_MS);
  }

  #draw(): void {
    this.#drawing = undefined;
    const { received, dropped, skipped, latency } = this.parts;
    const { fates } = this.books;
    write(received, this.words.number(this.books.received));
    write(dropped, this.words.lost(this.#lost, this.#isAtLeast));
    dropped.dataset.any = String(this.#lost > 0 || this.#isAtLeast);
    skipped.hidden = fates.dropped === 0;
    write(skipped, this.words.number(fates.dropped));
    if (this.#ageMs === undefined) return;
    latency.hidden = false;
    write(latency, this.#ageMs < 10_000 ? `${Math.round(this.#ageMs)} ms` : `${Math.round(this.#ageMs / 1000)} s`);
    latency.dataset.pace = this.#ageMs < 300 ? 'good' : this.#ageMs < 1500 ? 'fair' : 'slow';
  }

  rules(mode: Mode): void {
    const rule = this.words.mode(mode);
    this.parts.mode.hidden = !rule;
    this.parts.mode.textContent = rule;
  }
}

/** A figure's number is its last child: before it stand its glyph and its name for those who do not see it. */
function write(figure: HTMLElement, text: string): void {
  const last = figure.lastElementChild;
  if (last && last.textContent !== text) last.textContent = text;
}
