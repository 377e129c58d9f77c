// The lines that were shown last, as a list: what flew past can be read here, and a screen reader reads nothing else.

import { clockTime, upTo, type Row } from './rows';

const LINES_MAX = 100;

export class Transcript {
  #rows: readonly Row[] = [];
  #offset = 0;
  #shown = -1;

  constructor(
    private readonly list: HTMLOListElement,
    private readonly onPick: (second: number) => void,
  ) {
    list.addEventListener('click', (event) => {
      const button = event.target instanceof Element ? event.target.closest('button') : null;
      if (button) this.onPick(Number(button.value));
    });
  }

  show(rows: readonly Row[], offset: number): void {
    [this.#rows, this.#offset, this.#shown] = [rows, offset, -1];
    this.list.replaceChildren();
  }

  /** What stands there at this second of the media. */
  at(second: number): void {
    const count = upTo(this.#rows, second - this.#offset);
    if (count === this.#shown) return;
    const isNext = count > this.#shown && count - this.#shown < LINES_MAX && this.#shown >= 0;
    const from = isNext ? this.#shown : Math.max(0, count - LINES_MAX);
    const fresh = this.#rows.slice(from, count).map((row) => this.#lineOf(row));
    this.#shown = count;
    const wasAtEnd = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 40;
    if (isNext) this.list.append(...fresh);
    else this.list.replaceChildren(...fresh);
    while (this.list.childElementCount > LINES_MAX) this.list.firstElementChild?.remove();
    if (wasAtEnd || !isNext) this.list.scrollTop = this.list.scrollHeight;
  }

  #lineOf(row: Row): HTMLLIElement {
    const line = document.createElement('li');
    line.className = `is-${row.kind}`;
    const at = document.createElement('button');
    at.type = 'button';
    at.value = String(row.at + this.#offset);
    at.textContent = clockTime(row.at + this.#offset);
    const [name, text] = [document.createElement('bdi'), document.createElement('bdi')];
    name.className = 'name';
    name.textContent = row.name;
    text.className = 'text';
    text.textContent = row.text;
    line.append(at, ...(row.name ? [name] : []), text);
    return line;
  }
}
