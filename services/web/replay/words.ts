// Every word the page says: picks the language and puts the fixed ones in their places. Which words there are is in words-zh and words-en.

import { en } from './words-en';
import { zh } from './words-zh';

export type Words = typeof zh;

/** The words for the first of the reader's languages that the page speaks. */
export function wordsFor(languages: readonly string[]): Words {
  const first = languages.find((tag) => /^(zh|en)\b/i.test(tag));
  return first !== undefined && /^zh/i.test(first) ? zh : en;
}

/** `data-word` fills text, `data-label` names, `data-hint` is a placeholder, `data-tip` explains and names. */
export function fillWords(root: ParentNode, words: Words): void {
  const fixed = new Map(Object.entries(words.static));
  const word = (name: string | undefined) => fixed.get(name ?? '') ?? '';
  for (const node of root.querySelectorAll<HTMLElement>('[data-word]')) node.textContent = word(node.dataset.word);
  for (const node of root.querySelectorAll<HTMLElement>('[data-label]')) node.setAttribute('aria-label', word(node.dataset.label));
  for (const node of root.querySelectorAll<HTMLElement>('[data-hint]')) node.setAttribute('placeholder', word(node.dataset.hint));
  for (const node of root.querySelectorAll<HTMLElement>('[data-tip]')) {
    node.title = word(node.dataset.tip);
    node.setAttribute('aria-label', node.title);
  }
}
