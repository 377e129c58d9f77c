// Reads a sample of the room to assistive technology, politely and seldom; the stage itself stays silent to it.

import type { Message } from '@danmaku/client';
import type { Words } from './words.js';

const EVERY_MS = 8_000;

export class Announcer {
  #latest: Message | null = null;
  #more = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly element: HTMLElement,
    private readonly words: Words,
  ) {}

  /** Of all lines in an interval the newest is read, with the number of the others. */
  offer(message: Message): void {
    if (this.#latest) this.#more += 1;
    this.#latest = message;
    this.#timer ??= setTimeout(() => this.#read(), EVERY_MS);
  }

  remove(matches: (message: Message) => boolean): void {
    if (this.#latest && matches(this.#latest)) this.#latest = null;
  }

  say(text: string): void {
    this.element.textContent = text;
  }

  #read(): void {
    if (this.#latest) this.say(this.words.heard(this.#latest, this.#more));
    this.#latest = null;
    this.#more = 0;
    this.#timer = undefined;
  }
}
