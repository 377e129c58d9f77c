// Every word the page says: picks the language and formats values into it; it decides nothing.

import { en } from './words-en.js';
import { zh } from './words-zh.js';

/** The words for the first of the reader's languages that the page speaks. */
export function wordsFor(languages) {
  const first = languages.find((tag) => /^(zh|en)\b/i.test(tag)) ?? 'en';
  const words = /^zh/i.test(first) ? zh : en;
  const number = (count) => count.toLocaleString(words.lang);
  return {
    ...words,
    number,
    milliseconds,
    lost: (count, isAtLeast) => (isAtLeast ? (count > 0 ? `${number(count)}+` : '?') : number(count)),
    why: (code) => words.closed[code] ?? (code === 1001 ? words.closed[1012] : words.closedBy(code)),
    refused: (code, s) => waiting(words, words.refusals[code] ?? words.unknownRefusal(code), s),
    verdict: (frame) => verdict(words, frame),
    mode: (mode) => modeOf(words, mode),
    said: (message) => said(words, message),
    heard: (message, more) => words.heard(message.user?.name ?? words.system, said(words, message), more),
  };
}

/** Puts the fixed words into the page: `data-word` fills text, `data-label` names, `data-tip` explains, and names a button without words. */
export function fillWords(root, words) {
  for (const node of root.querySelectorAll('[data-word]')) node.textContent = words.static[node.dataset.word];
  for (const node of root.querySelectorAll('[data-label]'))
    node.setAttribute('aria-label', words.static[node.dataset.label]);
  for (const node of root.querySelectorAll('[data-tip]')) {
    node.title = words.static[node.dataset.tip];
    if (node.tagName === 'BUTTON' && !node.querySelector('[data-word]')) node.setAttribute('aria-label', node.title);
  }
}

/** A short time, no more exact than the buckets it comes from; a dash where there is none. */
function milliseconds(ms) {
  if (!Number.isFinite(ms)) return '–';
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
}

function waiting(words, text, seconds) {
  return seconds > 0 ? words.wait(text, seconds) : text;
}

function verdict(words, { verdict: word, code, retry_after_ms: waitMs, until }) {
  const text = words.codes[code] ?? words.verdicts[word];
  if (!text) return '';
  if (Number.isFinite(until)) return words.until(text, new Date(until).toLocaleTimeString(words.lang));
  return waiting(words, text, Math.ceil((waitMs ?? 0) / 1000));
}

function modeOf({ modes }, mode) {
  const seconds = Math.ceil((mode.slow_ms ?? 0) / 1000);
  const behind = (mode.delay_ms ?? 0) / 1000;
  return [
    mode.emergency && modes.emergency,
    seconds > 0 && modes.slow(seconds),
    mode.emote_only && modes.emote,
    mode.level_min > 0 && modes.level(mode.level_min),
    mode.followers_min_s !== undefined && modes.followers,
    behind > 0 && modes.delay(behind),
  ]
    .filter(Boolean)
    .join(' · ');
}

function said(words, { kind, text, data, event }) {
  if (kind === 'gift') return `${words.gave(data?.name ?? data?.gift ?? '')} ×${data?.count ?? 1}`;
  return text ?? event ?? '';
}
