// The fold-out list of the last hundred messages as text; it keeps them folded or not, and draws only when open.

import type { Message } from '@danmaku/client';
import { cut } from './cut.js';
import { glyph, hueOf, nameOf, piece } from './dom.js';
import type { Person } from './taste.js';
import type { Words } from './words.js';

const KEPT_MAX = 100;
const DRAW_MS = 120; // not an animation frame: a hidden page would let the list grow without end
/** More of a text is no reading any more; the door lets 100 characters in. */
const LETTERS_MAX = 300;

export interface HistoryParts {
  panel: HTMLElement;
  list: HTMLElement;
  button: HTMLElement;
  close: HTMLElement;
}

interface Kept {
  message: Message;
  node?: HTMLElement;
}

export class History {
  #kept: Kept[] = []; // the oldest first
  #due: ReturnType<typeof setTimeout> | undefined;

  /** `onMute(person)` hears of whom this viewer does not want to read. */
  constructor(
    private readonly parts: HistoryParts,
    private readonly words: Words,
    private readonly onMute: (person: Person) => void,
  ) {
    const { panel, button, close } = parts;
    button.addEventListener('click', () => this.open(panel.hidden !== false));
    close.addEventListener('click', () => this.open(false));
    panel.addEventListener('keydown', (event) => event.key === 'Escape' && this.open(false));
  }

  /** Unfolds or folds; folding gives the focus back to the button that unfolds. */
  open(isOpen: boolean): void {
    const { panel, list, button } = this.parts;
    const hadFocus = panel.contains(document.activeElement);
    panel.hidden = !isOpen;
    button.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen && hadFocus) button.focus();
    if (!isOpen) return;
    this.#draw();
    list.scrollTop = list.scrollHeight;
  }

  add(message: Message): void {
    this.#kept.push({ message });
    this.#due ??= setTimeout(() => this.#catchUp(), DRAW_MS);
  }

  remove(matches: (message: Message) => boolean): void {
    this.#kept = this.#kept.filter(({ message, node }) => {
      const isMatch = matches(message);
      if (isMatch) node?.remove();
      return !isMatch;
    });
  }

  #catchUp(): void {
    this.#due = undefined;
    for (const { node } of this.#kept.splice(0, this.#kept.length - KEPT_MAX)) node?.remove();
    if (!this.parts.panel.hidden) this.#draw();
  }

  /** Adds what is not drawn yet, and follows the end unless the reader has scrolled up. */
  #draw(): void {
    const { list } = this.parts;
    const follows = list.scrollHeight - list.scrollTop - list.clientHeight < 48;
    const fresh = document.createDocumentFragment();
    for (const one of this.#kept) if (!one.node) fresh.append((one.node = this.#row(one.message)));
    list.append(fresh);
    if (follows) list.scrollTop = list.scrollHeight;
  }

  #row(message: Message): HTMLElement {
    const { user, own, replay, kind, at } = message;
    const row = piece('li', `row is-${kind}`, piece('time', 'row-time', timeOf(at)), ...badgesOf(message));
    row.classList.toggle('is-own', own);
    row.classList.toggle('is-earlier', replay);
    const name = piece('bdi', 'row-name', nameOf(message) || this.words.system);
    name.style.setProperty('--hue', String(hueOf(user?.id ?? '')));
    row.append(name, piece('bdi', 'row-text', cut(this.words.said(message), LETTERS_MAX)));
    if (user && !own) row.append(this.#mute({ id: user.id, name: nameOf(message) }));
    return row;
  }

  #mute(person: Person): HTMLElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'row-mute';
    button.title = this.words.muteOne(person.name);
    button.setAttribute('aria-label', button.title);
    button.append(glyph('mute'));
    button.addEventListener('click', () => this.onMute(person));
    return button;
  }
}

function badgesOf({ user }: Message): HTMLElement[] {
  return (user?.badges ?? []).slice(0, 2).map((badge) => piece('span', 'row-badge', cut(badge, 12)));
}

const timeOf = (at: number): string => (Number.isFinite(at) ? new Date(at).toTimeString().slice(0, 8) : '');
