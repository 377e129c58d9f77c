// The box to write in: sends one line at a time and says in words what became of it; how it travels is post.js.

import { post } from './post.js';

const LENGTH_SHOWN_FROM = 70;
const LENGTH_USUAL_MAX = 100;
const NOTE_MS = 6_000;
const TONES = { approved: 'good', held: 'quiet', repeated: 'quiet' };
const clusters = Intl.Segmenter && new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export class Composer {
  #isSending = false;
  #waitUntil = 0;
  #countdown = 0;
  #fading = 0;
  #mayWrite = false;

  /** `parts` are {form, input, send, left, note}; `onSent(id)` hears of each accepted line. */
  constructor(parts, { room, pass, looks, words, onSent }) {
    Object.assign(this, parts, { room, pass, looks, words, onSent });
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.input.addEventListener('input', () => this.#refresh());
    this.#refresh();
  }

  /** Who may not write is told why. */
  allow(mayWrite, why) {
    this.#mayWrite = mayWrite;
    this.form.classList.toggle('is-closed', !mayWrite);
    this.input.disabled = !mayWrite;
    this.input.placeholder = mayWrite ? this.words.placeholder(this.pass.name) : why;
    this.#refresh();
  }

  /** What the judge said afterwards about a line of ours. */
  verdict(frame) {
    const text = this.words.verdict(frame);
    if (text) this.say(text, TONES[frame.verdict] ?? 'bad');
    if (frame.retry_after_ms > 0)
      this.#wait(frame.retry_after_ms, (s) => this.words.verdict({ ...frame, retry_after_ms: s * 1000 }));
  }

  say(text, tone) {
    clearInterval(this.#countdown);
    clearTimeout(this.#fading);
    this.note.textContent = text;
    this.note.dataset.tone = tone;
    this.#fading = setTimeout(() => (this.note.textContent = ''), NOTE_MS);
  }

  async #submit() {
    const text = this.input.value.trim();
    if (!text || this.send.disabled) return;
    this.#isSending = true;
    this.#refresh();
    const slow = setTimeout(() => this.say(this.words.stillSending, 'quiet'), 1_200);
    const said = await post(this.room, this.pass, { text, ...this.looks.chosen });
    clearTimeout(slow);
    this.#isSending = false;
    if (said.ok) this.#accepted(said.id, text);
    else this.#refused(said);
    this.#refresh();
  }

  #accepted(id, text) {
    if (this.input.value.trim() === text) this.input.value = '';
    this.say('', 'quiet');
    this.onSent(id);
  }

  /** The text stays in the box, to be changed or sent again. */
  #refused({ code, waitMs }) {
    this.say(this.words.refused(code, Math.ceil((waitMs ?? 0) / 1000)), 'bad');
    if (waitMs > 0) this.#wait(waitMs, (left) => this.words.refused(code, left));
  }

  #wait(ms, sayLeft) {
    this.#waitUntil = Date.now() + ms;
    clearTimeout(this.#fading);
    clearInterval(this.#countdown);
    this.#countdown = setInterval(() => {
      const left = Math.ceil((this.#waitUntil - Date.now()) / 1000);
      const text = left > 0 ? sayLeft(left) : '';
      if (this.note.textContent !== text) this.note.textContent = text;
      if (left <= 0) clearInterval(this.#countdown);
      this.#refresh();
    }, 200);
    this.#refresh();
  }

  #refresh() {
    const length = lengthOf(this.input.value.trim());
    const isWaiting = Date.now() < this.#waitUntil;
    this.send.disabled = !this.#mayWrite || this.#isSending || isWaiting || length === 0;
    this.form.classList.toggle('is-sending', this.#isSending);
    this.left.textContent = length >= LENGTH_SHOWN_FROM ? `${length}/${LENGTH_USUAL_MAX}` : '';
    this.left.dataset.over = String(length > LENGTH_USUAL_MAX);
  }
}

/** Counted as the door counts, in grapheme clusters, where the browser knows them. */
function lengthOf(text) {
  return [...(clusters ? clusters.segment(text) : text)].length;
}
