// The row of super-chats over the stage: each stays as long as it was paid for, and opens to be read whole. Gifts are in
// `gifts.ts`.

import type { Message } from '@danmaku/client';
import { sumOf, superOf, tierOf } from './carried.js';
import { cut } from './cut.js';
import { nameOf, piece } from './dom.js';
import type { Words } from './words.js';

/** More than a row on any screen; one more lets the one go that would go first. */
const CARDS_MAX = 20;
/** The newest is open so long, unless somebody opens another one. */
const OPEN_MS = 7_000;
const LETTERS_MAX = 300;

interface Card {
  node: HTMLButtonElement;
  message: Message;
  until: number;
  timer: ReturnType<typeof setTimeout>;
}

export class Supers {
  #cards: Card[] = [];
  #opened: Card | null = null;
  #closing: ReturnType<typeof setTimeout> | undefined;

  /** `row` holds the cards, `reader` the one that is open. */
  constructor(
    private readonly row: HTMLElement,
    private readonly reader: HTMLElement,
    private readonly words: Words,
  ) {
    row.addEventListener('keydown', (event) => event.key === 'Escape' && this.#open(null));
  }

  show(message: Message): void {
    const { showMs } = superOf(message);
    const node = this.#draw(message);
    const card: Card = {
      node,
      message,
      until: performance.now() + showMs,
      timer: setTimeout(() => this.#end(card), showMs),
    };
    node.addEventListener('click', () => this.#open(this.#opened === card ? null : card));
    // How much of its time is left is drawn by the compositor, not by a timer.
    node.lastElementChild?.animate({ scale: ['1 1', '0 1'] }, { duration: showMs, fill: 'forwards' });
    this.#cards.push(card);
    this.row.prepend(node);
    this.row.hidden = false;
    if (this.#cards.length > CARDS_MAX)
      this.#end(this.#cards.reduce((first, one) => (one.until < first.until ? one : first)));
    if (!this.row.contains(document.activeElement)) this.#open(card, Math.min(OPEN_MS, showMs));
  }

  remove(matches: (message: Message) => boolean): void {
    for (const card of this.#cards.filter(({ message }) => matches(message))) this.#end(card);
  }

  #draw(message: Message): HTMLButtonElement {
    const said = superOf(message);
    const node = document.createElement('button');
    node.type = 'button';
    node.className = `super is-tier-${tierOf(said)}`;
    node.setAttribute('aria-expanded', 'false');
    node.setAttribute('aria-controls', this.reader.id);
    node.append(
      piece('b', 'super-sum', sumOf(said, this.words.lang)),
      piece('bdi', 'super-name', nameOf(message)),
      piece('i', 'super-left'),
    );
    return node;
  }

  #open(card: Card | null, forMs?: number): void {
    clearTimeout(this.#closing);
    this.#opened?.node.setAttribute('aria-expanded', 'false');
    this.#opened = card;
    this.reader.hidden = card === null;
    if (!card) return;
    card.node.setAttribute('aria-expanded', 'true');
    const said = superOf(card.message);
    this.reader.className = `super-reader is-tier-${tierOf(said)}`;
    this.reader.replaceChildren(
      piece('bdi', 'super-name', nameOf(card.message)),
      piece('b', 'super-sum', sumOf(said, this.words.lang)),
      piece('bdi', 'super-text', cut(card.message.text, LETTERS_MAX)),
    );
    if (forMs !== undefined) this.#closing = setTimeout(() => this.#open(null), forMs);
  }

  #end(card: Card): void {
    clearTimeout(card.timer);
    if (this.#opened === card) this.#open(null);
    this.#cards = this.#cards.filter((one) => one !== card);
    card.node.remove();
    this.row.hidden = this.#cards.length === 0;
  }
}
