// What this viewer does not want to see, by words and people of his own. Pure; it runs before repeats are folded, so that
// nothing unwanted comes back as "word ×2".

import type { Message } from '@danmaku/client';
import { plain } from './fold.js';
import type { Taste } from './taste.js';

type Said = Pick<Message, 'text' | 'user' | 'own'>;

/** The question for one taste, asked of each message; one's own lines always pass. */
export function unwanted(taste: Pick<Taste, 'words' | 'people'>): (message: Said) => boolean {
  const words = taste.words.map(plain);
  const people = new Set(taste.people.map(({ id }) => id));
  return ({ text, user, own }) => {
    if (own) return false;
    if (user && people.has(user.id)) return true;
    if (words.length === 0) return false;
    const said = plain(text);
    return words.some((word) => said.includes(word));
  };
}
