// Reads a sample of the room to assistive technology, politely and seldom; the stage itself stays silent to it.

const EVERY_MS = 8_000;

export class Announcer {
  #latest = null;
  #more = 0;
  #timer = 0;

  constructor(element, words) {
    this.element = element;
    this.words = words;
  }

  /** Of all lines in an interval the newest is read, with the number of the others. */
  offer(message) {
    if (this.#latest) this.#more += 1;
    this.#latest = message;
    this.#timer ||= setTimeout(() => this.#read(), EVERY_MS);
  }

  remove(matches) {
    if (this.#latest && matches(this.#latest)) this.#latest = null;
  }

  say(text) {
    this.element.textContent = text;
  }

  #read() {
    if (this.#latest) this.say(this.words.heard(this.#latest, this.#more));
    this.#latest = null;
    this.#more = 0;
    this.#timer = 0;
  }
}
