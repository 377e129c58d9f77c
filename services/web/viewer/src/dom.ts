// The few things that every part of the page does with nodes. Text is always text: nothing here takes HTML.

import { cut } from './cut.js';

const NAME_LETTERS_MAX = 32;

/** The element that the skeleton names so; its absence is a mistake in the skeleton. */
export function byId<T extends HTMLElement = HTMLElement>(id: string, type?: new () => T): T {
  const found = document.getElementById(id);
  if (!found || (type && !(found instanceof type))) throw new Error(`the page has no ${id}`);
  return found as T;
}

/** An element with a class and text, or with children. */
export function piece(tag: string, look: string, ...content: (string | Node)[]): HTMLElement {
  const node = document.createElement(tag);
  node.className = look;
  node.append(...content);
  return node;
}

const SVG = 'http://www.w3.org/2000/svg';

/** One of the skeleton's glyphs. */
export function glyph(name: string): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `#g-${name}`);
  svg.append(use);
  return svg;
}

/** Radio buttons of one name with words on them. */
export function choices(
  name: string,
  options: readonly (readonly [value: string, face: HTMLElement | string])[],
  chosen: string,
  onPick: (value: string) => void,
): HTMLElement[] {
  return options.map(([value, face]) => {
    const input = document.createElement('input');
    Object.assign(input, { type: 'radio', name, value, checked: value === chosen });
    input.addEventListener('change', () => onPick(value));
    if (typeof face !== 'string') input.setAttribute('aria-label', face.title);
    return piece('label', '', input, typeof face === 'string' ? piece('span', '', face) : face);
  });
}

/** What opens and closes a panel: its button, Escape, and a press elsewhere. Closing gives the focus back. */
export class Fold {
  constructor(
    readonly button: HTMLElement,
    readonly panel: HTMLElement,
    private readonly told: (isOpen: boolean) => void = () => {},
  ) {
    button.addEventListener('click', () => this.open(panel.hidden !== false));
    document.addEventListener('keydown', (event) => event.key === 'Escape' && this.open(false));
    document.addEventListener('pointerdown', ({ target }) => {
      if (target instanceof Node && !panel.contains(target) && !button.contains(target)) this.open(false);
    });
  }

  open(isOpen: boolean): void {
    if (isOpen !== (this.panel.hidden !== false)) return;
    const hadFocus = this.panel.contains(document.activeElement);
    this.panel.hidden = !isOpen;
    this.button.setAttribute('aria-expanded', String(isOpen));
    this.told(isOpen);
    if (!isOpen && hadFocus) this.button.focus();
  }
}

/** A name, or what stands for one; names are claims of a token, and no token bounds them. */
export const nameOf = ({ user }: { user: { id: string; name: string } | undefined }): string =>
  cut(user?.name || user?.id || '', NAME_LETTERS_MAX);

/** One person, one tint, in this page and the next. */
export function hueOf(id: string): number {
  let sum = 7;
  for (const letter of id.slice(0, 64)) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360;
  return sum;
}
