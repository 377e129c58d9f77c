// The strip of gifts at the stage's foot; the same gift of the same person counts up. Super-chats are `supers.ts`.

import type { Message } from '@danmaku/client';
import { giftOf } from './carried.js';
import { nameOf, piece } from './dom.js';
import type { Words } from './words.js';

const CARDS_MAX = 3;
const STAY_MS = 5_000;

interface Card {
  node: HTMLElement;
  key: string;
  count: number;
  messages: Message[];
  timer: ReturnType<typeof setTimeout>;
}

export class Gifts {
  #cards: Card[] = []; // the oldest first

  constructor(
    private readonly element: HTMLElement,
    private readonly words: Words,
  ) {}

  show(message: Message): void {
    const gift = giftOf(message);
    const known = this.#cards.find(({ key }) => key === gift.key);
    const card = known ?? { node: piece('div', 'gift'), key: gift.key, count: 0, messages: [], timer: 0 as never };
    card.count += gift.count;
    card.messages.push(message);
    const count = piece('b', 'gift-count', `×${this.words.number(card.count)}`);
    card.node.replaceChildren(
      piece('bdi', 'gift-name', nameOf(message)),
      piece('bdi', 'gift-what', this.words.gave(gift.name)),
      count,
    );
    if (known) count.animate({ scale: [1.5, 1] }, { duration: 250, easing: 'ease-out' });
    this.#keep(card);
  }

  /** A gift that was taken back takes its card along: what is left of a sum would be a guess. */
  remove(matches: (message: Message) => boolean): void {
    for (const card of this.#cards.filter(({ messages }) => messages.some(matches))) this.#end(card);
  }

  #keep(card: Card): void {
    clearTimeout(card.timer);
    card.timer = setTimeout(() => this.#end(card), STAY_MS);
    if (this.#cards.includes(card)) return;
    this.#cards.push(card);
    this.element.append(card.node);
    const [oldest] = this.#cards;
    if (this.#cards.length > CARDS_MAX && oldest) this.#end(oldest);
  }

  #end(card: Card): void {
    clearTimeout(card.timer);
    this.#cards = this.#cards.filter((one) => one !== card);
    card.node.remove();
  }
}
