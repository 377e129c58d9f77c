// The panel that chooses color, place, size and name of one's own lines; it sends nothing.

import type { Style } from '@danmaku/client';
import { choices, Fold, piece } from './dom.js';
import type { Words } from './words.js';

const COLORS = ['#ffffff', '#ff7a9c', '#ffb454', '#ffe66d', '#7df5b0', '#6fd6ff', '#a48bff', '#ff6bff'];
const DEFAULTS = { color: '#ffffff', position: 'scroll', size: 'normal' };

type Part = keyof typeof DEFAULTS;

export interface LooksParts {
  button: HTMLElement;
  panel: HTMLElement;
  name: HTMLInputElement;
}

export class Looks {
  #picked = { ...DEFAULTS };

  constructor(
    private readonly parts: LooksParts,
    private readonly words: Words,
    onRename: (name: string) => void,
  ) {
    const { button, panel, name } = parts;
    for (const group of panel.querySelectorAll<HTMLElement>('[data-choose]')) this.#fill(group);
    new Fold(button, panel, (isOpen) => isOpen && panel.querySelector<HTMLElement>('input:checked')?.focus());
    name.addEventListener('change', () => name.value.trim() && onRename(name.value.trim()));
  }

  /** Only what differs from the wire's defaults. */
  get chosen(): Style {
    return Object.fromEntries(Object.entries(this.#picked).filter(([key, value]) => value !== DEFAULTS[key as Part]));
  }

  #fill(group: HTMLElement): void {
    const part = group.dataset.choose as Part;
    const options = part === 'color' ? this.#swatches() : Object.entries<string>(this.words[part]);
    group.append(...choices(part, options, DEFAULTS[part], (value) => this.#pick(part, value)));
  }

  #swatches(): [string, HTMLElement][] {
    return COLORS.map((color, at) => {
      const face = piece('span', 'swatch');
      face.style.backgroundColor = color;
      face.title = this.words.colors[at] ?? color;
      return [color, face];
    });
  }

  #pick(part: Part, value: string): void {
    this.#picked[part] = value;
    if (part === 'color') this.parts.button.style.color = value;
  }
}
