// Every word the page says: picks the language and keeps the choice. Which words there are is in words-zh and words-en.

import { signal } from '@preact/signals';
import { en } from './words-en';
import { zh } from './words-zh';

export type Words = typeof zh;
export type Language = 'zh' | 'en';

const ALL: Record<Language, Words> = { zh, en };
const KEPT = 'danmaku.console.language';

/** The first of the reader's languages that the page speaks. */
export function languageFor(languages: readonly string[]): Language {
  const first = languages.find((tag) => /^(zh|en)\b/i.test(tag));
  return first !== undefined && /^zh/i.test(first) ? 'zh' : 'en';
}

export const words = signal<Words>(en);

/** The language that was chosen here before, or the reader's own. */
export function beginLanguage(): void {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(KEPT);
  } catch {
    // Nothing is kept here; the reader's own it is.
  }
  say(kept === 'zh' || kept === 'en' ? kept : languageFor(navigator.languages));
}

export function speak(language: Language): void {
  say(language);
  try {
    localStorage.setItem(KEPT, language);
  } catch {
    // It lasts as long as the page then.
  }
}

function say(language: Language): void {
  words.value = ALL[language];
  document.documentElement.lang = ALL[language].lang;
  document.title = ALL[language].title;
}
