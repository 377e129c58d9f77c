// The list and the row on top: what is shown, how much of it, and what leaves. What an item looks like is `items.ts`.

import type { Message } from '@danmaku/client';
import { superOf } from '../../viewer/src/carried.js';
import { foldKey } from '../../viewer/src/fold.js';
import { countOn, itemOf, tickerItemOf } from './items.js';
import type { OverlayWords } from './words.js';

/** A 1,080 px column holds 33 lines of 32 px: twice that, so that a style sheet may show smaller ones. */
const ITEMS_MAX = 66;
/** Repeats of one of the last so many count on it. */
const FOLDED_AMONG = 5;
const TICKER_MAX = 12;

interface Item {
  node: HTMLElement;
  key: string;
  messages: Message[];
}

export interface ChatParts {
  items: HTMLElement;
  scroller: HTMLElement;
  ticker: HTMLElement;
  tickerItems: HTMLElement;
}

export class Chat {
  /** Something was said, also if nothing of it is left. */
  wasHeard = false;
  #items: Item[] = []; // the oldest first
  #paid: { node: HTMLElement; message: Message; timer: ReturnType<typeof setTimeout> }[] = [];

  constructor(
    private readonly parts: ChatParts,
    private readonly words: OverlayWords,
    private readonly folds: boolean,
  ) {}

  add(message: Message): void {
    this.wasHeard = true;
    const key = message.kind === 'chat' ? foldKey(message) : '';
    const same = this.folds && key ? this.#items.slice(-FOLDED_AMONG).find((item) => item.key === key) : undefined;
    if (same) {
      same.messages.push(message);
      return countOn(same.node, same.messages.length);
    }
    const node = itemOf(message, this.words);
    if (!node) return;
    this.#items.push({ node, key, messages: [message] });
    this.parts.items.append(node);
    for (const { node: gone } of this.#items.splice(0, this.#items.length - ITEMS_MAX)) gone.remove();
    if (message.kind === 'super' && !message.replay) this.#pin(message);
    this.parts.scroller.scrollTop = this.parts.scroller.scrollHeight;
  }

  /** What was taken back leaves, and its share of a number. */
  remove(matches: (message: Message) => boolean): void {
    this.#items = this.#items.filter((item) => {
      const before = item.messages.length;
      item.messages = item.messages.filter((message) => !matches(message));
      if (item.messages.length === 0) item.node.remove();
      else if (item.messages.length < before) countOn(item.node, item.messages.length);
      return item.messages.length > 0;
    });
    for (const paid of this.#paid.filter(({ message }) => matches(message))) this.#unpin(paid.node);
  }

  #pin(message: Message): void {
    const node = tickerItemOf(message, this.words);
    const timer = setTimeout(() => this.#unpin(node), superOf(message).showMs);
    this.#paid.push({ node, message, timer });
    this.parts.tickerItems.prepend(node);
    this.parts.ticker.hidden = false;
    const [oldest] = this.#paid;
    if (this.#paid.length > TICKER_MAX && oldest) this.#unpin(oldest.node);
  }

  #unpin(node: HTMLElement): void {
    for (const paid of this.#paid) if (paid.node === node) clearTimeout(paid.timer);
    this.#paid = this.#paid.filter((paid) => paid.node !== node);
    node.remove();
    this.parts.ticker.hidden = this.#paid.length === 0;
  }
}
