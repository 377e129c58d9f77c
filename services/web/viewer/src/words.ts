// Every word the page says: picks the language and formats values into it; it decides nothing.

import type { Message, Mode, Verdict } from '@danmaku/client';
import { giftOf } from './carried.js';
import { en } from './words-en.js';
import { zh } from './words-zh.js';

/** What each language brings. */
export type Dictionary = typeof en;
export type Words = ReturnType<typeof wordsFor>;

type Told = Pick<Verdict, 'verdict'> & Partial<Pick<Verdict, 'code' | 'retryAfterMs' | 'until'>>;

/** The words for the first of the reader's languages that the page speaks. */
export function wordsFor(languages: readonly string[]) {
  const first = languages.find((tag) => /^(zh|en)\b/i.test(tag)) ?? 'en';
  const words = /^zh/i.test(first) ? zh : en;
  const number = (count: number) => count.toLocaleString(words.lang);
  return {
    ...words,
    number,
    milliseconds,
    lost: (count: number, isAtLeast: boolean) => (isAtLeast ? (count > 0 ? `${number(count)}+` : '?') : number(count)),
    why: (code: number) =>
      words.closed[code] ?? (code === 1001 ? words.closed[1012] : undefined) ?? words.closedBy(code),
    refused: (code: string, s: number) => waiting(words, words.refusals[code] ?? words.unknownRefusal(code), s),
    isKnown: (code: string) => Object.hasOwn(words.refusals, code),
    verdict: (said: Told) => verdict(words, said),
    mode: (mode: Partial<Mode>) => modeOf(words, mode),
    said: (message: Message) => said(words, message),
    heard: (message: Message, more: number) =>
      words.heard(message.user?.name || words.system, said(words, message), more),
  };
}

/** Puts the fixed words into the page: `data-word` fills text, `data-label` names, `data-tip` explains, and names a button without words. */
export function fillWords(root: ParentNode, { static: fixed }: Pick<Dictionary, 'static'>): void {
  const word = (name = '') => Object.entries(fixed).find(([key]) => key === name)?.[1] ?? '';
  for (const node of root.querySelectorAll<HTMLElement>('[data-word]')) node.textContent = word(node.dataset.word);
  for (const node of root.querySelectorAll<HTMLElement>('[data-label]'))
    node.setAttribute('aria-label', word(node.dataset.label));
  for (const node of root.querySelectorAll<HTMLElement>('[data-hint]'))
    node.setAttribute('placeholder', word(node.dataset.hint));
  for (const node of root.querySelectorAll<HTMLElement>('[data-tip]')) {
    node.title = word(node.dataset.tip);
    if (node.tagName === 'BUTTON' && !node.querySelector('[data-word], b')) node.setAttribute('aria-label', node.title);
  }
}

/** A short time, no more exact than the buckets it comes from; a dash where there is none. */
function milliseconds(ms: number | null | undefined): string {
  if (typeof ms !== 'number' || !Number.isFinite(ms)) return '–';
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
}

function waiting(words: Dictionary, text: string, seconds: number): string {
  return seconds > 0 ? words.wait(text, seconds) : text;
}

function verdict(words: Dictionary, { verdict: word, code, retryAfterMs, until }: Told): string {
  const text = (code === undefined ? undefined : words.codes[code]) ?? words.verdicts[word];
  if (!text) return '';
  if (until !== undefined) return words.until(text, new Date(until).toLocaleTimeString(words.lang));
  return waiting(words, text, Math.ceil((retryAfterMs ?? 0) / 1000));
}

function modeOf({ modes }: Dictionary, mode: Partial<Mode>): string {
  const { slowMs = 0, levelMin = 0, followersMinS = 0, delayMs = 0 } = mode;
  return [
    mode.emergency && modes.emergency,
    slowMs > 0 && modes.slow(Math.ceil(slowMs / 1000)),
    mode.emoteOnly && modes.emote,
    levelMin > 0 && modes.level(levelMin),
    followersMinS > 0 && modes.followers,
    delayMs > 0 && modes.delay(delayMs / 1000),
  ]
    .filter(Boolean)
    .join(' · ');
}

function said(words: Dictionary, message: Message): string {
  if (message.kind !== 'gift') return message.text;
  const { name, count } = giftOf(message);
  return `${words.gave(name)} ×${count}`;
}
