// What stands in the room, told by typed events: `score` with `{sides}` or a text, and `pin` with a text; without either it
// stands no more. Other events pass.

import type { Message } from '@danmaku/client';
import { scoreOf } from './carried.js';
import { cut } from './cut.js';
import { piece } from './dom.js';

const LETTERS_MAX = 300;

export interface StandingParts {
  score: HTMLElement;
  pin: HTMLElement;
  text: HTMLElement;
  close: HTMLElement;
}

export class Standing {
  #shown: { score?: Message; pin?: Message } = {};

  constructor(private readonly parts: StandingParts) {
    parts.close.addEventListener('click', () => (this.parts.pin.hidden = true));
    parts.text.addEventListener('click', () => this.#unfold(parts.text.ariaExpanded !== 'true'));
  }

  hear(message: Message): void {
    if (message.event === 'score') this.#score(message);
    else if (message.event === 'pin') this.#pin(message);
  }

  remove(matches: (message: Message) => boolean): void {
    const { score, pin } = this.#shown;
    if (score && matches(score)) this.parts.score.hidden = true;
    if (pin && matches(pin)) this.parts.pin.hidden = true;
  }

  #score(message: Message): void {
    this.#shown.score = message;
    const sides = scoreOf(message);
    const [home, away] = sides ?? [];
    this.parts.score.hidden = !sides && !message.text;
    if (!home || !away)
      return this.parts.score.replaceChildren(piece('bdi', 'score-text', cut(message.text, LETTERS_MAX)));
    this.parts.score.replaceChildren(
      piece('bdi', 'score-side', home.name),
      piece('b', 'score-points', `${home.points} : ${away.points}`),
      piece('bdi', 'score-side', away.name),
    );
  }

  #pin(message: Message): void {
    const isSame = this.#shown.pin?.id === message.id;
    this.#shown.pin = message;
    // Who closed it does not get it again with the next connection.
    if (isSame) return;
    this.parts.pin.hidden = !message.text;
    this.parts.text.replaceChildren(piece('bdi', '', cut(message.text, LETTERS_MAX)));
    this.#unfold(false);
  }

  /** A long line is cut to one, until somebody wants to read it. */
  #unfold(isWhole: boolean): void {
    this.parts.text.ariaExpanded = String(isWhole);
    this.parts.pin.classList.toggle('is-whole', isWhole);
  }
}
