// The page's books in the panel of settings: what came, and what became of it. It counts nothing itself.

import { piece } from './dom.js';
import { FATES, type Tally } from './tally.js';
import type { Words } from './words.js';

const EVERY_MS = 500;

export class Books {
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly list: HTMLElement,
    private readonly tally: Tally,
    private readonly words: Words,
  ) {}

  /** Figures move only while somebody looks. */
  open(isOpen: boolean): void {
    clearInterval(this.#timer);
    if (!isOpen) return;
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), EVERY_MS);
  }

  #draw(): void {
    const { received, fates, waiting } = this.tally;
    const entries = [
      [this.words.static.received, received] as const,
      ...FATES.map((fate) => [this.words.fates[fate], fates[fate]] as const),
      [this.words.fates.waiting, waiting] as const,
    ];
    this.list.replaceChildren(
      ...entries.flatMap(([name, count]) => [piece('dt', '', name), piece('dd', '', this.words.number(count))]),
    );
  }
}
