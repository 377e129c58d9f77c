// The box to write in: says one line at a time, and in words what became of it. How it travels is the client's business.

import type { Mode, Sent, Style, Verdict } from '@danmaku/client';
import { letters } from './cut.js';
import type { Words } from './words.js';

const LENGTH_SHOWN_FROM = 70;
const LENGTH_USUAL_MAX = 100;
const NOTE_MS = 6_000;
const SLOW_MS = 1_200; // an answer that takes longer is explained
const TONES: Record<string, Tone> = { approved: 'good', held: 'quiet', repeated: 'quiet' };

export type Tone = 'good' | 'quiet' | 'bad' | 'notice';

export interface ComposerParts {
  form: HTMLFormElement;
  input: HTMLInputElement;
  send: HTMLButtonElement;
  left: HTMLElement;
  note: HTMLElement;
}

/** Whom the box speaks to. */
export interface Speaker {
  readonly name: string;
  readonly style: Style;
  readonly mode: Pick<Mode, 'slowMs'>;
  say(text: string, style: Style): Promise<Sent>;
}

export class Composer {
  #isSending = false;
  #mayWrite = false;
  #waitUntil = 0;
  /** What is said of the seconds left, as long as nothing else is said. */
  #sayLeft: ((seconds: number) => string) | undefined;
  #countdown: ReturnType<typeof setInterval> | undefined;
  #fading: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly parts: ComposerParts,
    private readonly speaker: Speaker,
    private readonly words: Words,
  ) {
    parts.form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    parts.input.addEventListener('input', () => this.#refresh());
    this.#refresh();
  }

  /** Who may not write is told why. */
  allow(mayWrite: boolean, why: string): void {
    const { form, input } = this.parts;
    this.#mayWrite = mayWrite;
    form.classList.toggle('is-closed', !mayWrite);
    input.disabled = !mayWrite;
    input.placeholder = mayWrite ? this.words.placeholder(this.speaker.name) : why;
    this.#refresh();
  }

  /** What the judge said afterwards about a line of ours. */
  verdict(said: Verdict): void {
    const text = this.words.verdict(said);
    if (text) this.say(text, TONES[said.verdict] ?? 'bad');
    if (said.retryAfterMs)
      this.#wait(said.retryAfterMs, (s) => this.words.verdict({ ...said, retryAfterMs: s * 1000 }));
  }

  say(text: string, tone: Tone): void {
    this.#sayLeft = undefined;
    clearTimeout(this.#fading);
    this.parts.note.textContent = text;
    this.parts.note.dataset.tone = tone;
    this.#fading = setTimeout(() => (this.parts.note.textContent = ''), NOTE_MS);
  }

  async #submit(): Promise<void> {
    const text = this.parts.input.value.trim();
    if (!text || this.parts.send.disabled) return;
    this.#isSending = true;
    this.#refresh();
    this.say('', 'quiet');
    const slow = setTimeout(() => this.say(this.words.stillSending, 'quiet'), SLOW_MS);
    const sent = await this.speaker.say(text, this.speaker.style);
    clearTimeout(slow);
    this.#isSending = false;
    if (sent.ok) this.#accepted(text);
    else this.#refused(sent.code, sent.retryAfterMs ?? 0);
    this.#refresh();
  }

  #accepted(text: string): void {
    if (this.parts.input.value.trim() === text) this.parts.input.value = '';
    // The judge may have been quicker than the door, and his word stays.
    if (this.parts.note.textContent === this.words.stillSending) this.say('', 'quiet');
    const { slowMs } = this.speaker.mode;
    if (slowMs > 0) this.#wait(slowMs, this.words.slowWait);
  }

  /** The text stays in the box, to be changed or sent again. */
  #refused(code: string, waitMs: number): void {
    this.say(this.words.refused(code, Math.ceil(waitMs / 1000)), 'bad');
    if (waitMs > 0) this.#wait(waitMs, (left) => this.words.refused(code, left));
  }

  /** Counts the seconds down, on the button and, unless other words take their place, in words. */
  #wait(ms: number, sayLeft: (seconds: number) => string): void {
    this.#waitUntil = performance.now() + ms;
    this.#sayLeft = sayLeft;
    clearTimeout(this.#fading);
    clearInterval(this.#countdown);
    const tick = () => {
      const left = this.#secondsLeft;
      const text = left > 0 ? this.#sayLeft?.(left) : this.#sayLeft && '';
      if (text !== undefined && this.parts.note.textContent !== text) this.parts.note.textContent = text;
      if (left <= 0) clearInterval(this.#countdown);
      this.#refresh();
    };
    this.parts.note.dataset.tone ??= 'quiet';
    this.#countdown = setInterval(tick, 200);
    tick();
  }

  get #secondsLeft(): number {
    return Math.ceil((this.#waitUntil - performance.now()) / 1000);
  }

  #refresh(): void {
    const { input, send, form, left } = this.parts;
    const length = lengthOf(input.value.trim());
    send.disabled = !this.#mayWrite || this.#isSending || this.#secondsLeft > 0 || length === 0;
    form.classList.toggle('is-sending', this.#isSending);
    send.dataset.wait = this.#secondsLeft > 0 ? String(this.#secondsLeft) : '';
    left.textContent = length >= LENGTH_SHOWN_FROM ? `${length}/${LENGTH_USUAL_MAX}` : '';
    left.dataset.over = String(length > LENGTH_USUAL_MAX);
  }
}

/** Counted as the door counts, in grapheme clusters. */
function lengthOf(text: string): number {
  return [...letters(text)].length;
}
