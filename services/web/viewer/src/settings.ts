// The panel of what this viewer chooses for himself. It changes a taste and tells it; what a taste does is not its business.

import { choices, Fold, glyph, piece } from './dom.js';
import { AREAS, BOUNDS, DENSITIES, THEMES, withWord, type Taste } from './taste.js';
import type { Words } from './words.js';

export interface SettingsParts {
  button: HTMLElement;
  panel: HTMLElement;
  close: HTMLElement;
  folds: HTMLInputElement;
  word: HTMLInputElement;
  add: HTMLFormElement;
  words: HTMLElement;
  people: HTMLElement;
}

const CHOICES = { area: AREAS, density: DENSITIES, theme: THEMES } as const;
const SLIDERS = Object.keys(BOUNDS) as (keyof typeof BOUNDS)[];

export class Settings {
  readonly #fold: Fold;

  /** `change(taste)` hears of each choice; `opened` of each time somebody looks. */
  constructor(
    private readonly parts: SettingsParts,
    private taste: Taste,
    private readonly words: Words,
    private readonly change: (taste: Taste) => void,
    opened: (isOpen: boolean) => void,
  ) {
    this.#fold = new Fold(parts.button, parts.panel, (isOpen) => {
      if (isOpen) parts.panel.focus();
      opened(isOpen);
    });
    parts.close.addEventListener('click', () => this.#fold.open(false));
    for (const name of SLIDERS) this.#slider(name);
    for (const name of Object.keys(CHOICES) as (keyof typeof CHOICES)[]) this.#choice(name);
    parts.folds.checked = taste.folds;
    parts.folds.addEventListener('change', () => this.#set({ folds: parts.folds.checked }));
    parts.add.addEventListener('submit', (event) => this.#addWord(event));
    this.#lists();
  }

  /** The taste was changed elsewhere. */
  show(taste: Taste): void {
    this.taste = taste;
    this.#lists();
  }

  #set(part: Partial<Taste>): void {
    this.taste = { ...this.taste, ...part };
    this.#lists();
    this.change(this.taste);
  }

  #slider(name: keyof typeof BOUNDS): void {
    const input = this.parts.panel.querySelector<HTMLInputElement>(`[data-slide=${name}]`);
    if (!input) return;
    const [min, max] = BOUNDS[name];
    Object.assign(input, { min, max, step: 0.05, value: this.taste[name] });
    const say = () => {
      const text = this.words.percent(Number(input.value));
      input.setAttribute('aria-valuetext', text);
      const output = input.nextElementSibling;
      if (output) output.textContent = text;
    };
    say();
    input.addEventListener('input', () => {
      say();
      this.#set({ [name]: Number(input.value) });
    });
  }

  #choice(name: keyof typeof CHOICES): void {
    const options = Object.entries<string>(this.words[name]);
    const pick = (value: string) => this.#set({ [name]: value } as Partial<Taste>);
    this.parts.panel.querySelector(`[data-choose=${name}]`)?.append(...choices(name, options, this.taste[name], pick));
  }

  #addWord(event: SubmitEvent): void {
    event.preventDefault();
    this.#set(withWord(this.taste, this.parts.word.value));
    this.parts.word.value = '';
  }

  #lists(): void {
    const { words, people } = this.taste;
    this.parts.words.replaceChildren(
      ...words.map((word) => this.#chip(word, () => this.#set({ words: words.filter((one) => one !== word) }))),
    );
    this.parts.people.replaceChildren(
      ...people.map(({ id, name }) =>
        this.#chip(name || id, () => this.#set({ people: people.filter((one) => one.id !== id) })),
      ),
    );
  }

  #chip(text: string, drop: () => void): HTMLElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.title = this.words.unmute(text);
    button.setAttribute('aria-label', button.title);
    button.append(glyph('close'));
    button.addEventListener('click', drop);
    return piece('li', 'chip', piece('bdi', 'chip-text', text), button);
  }
}
