// Texts as a moderator may look at them: cut to what a line can hold, and parted where something was found. Pure. What people wrote
// stays text; nothing is made of it.

import type { Found } from '../api/shapes';

/** A danmaku has 100 characters; one of 1,000 UTF-16 units is none, and its rest would only cost the page. */
const UNITS_MAX = 1_000;
/** A name is one line's beginning. */
export const NAME_UNITS_MAX = 80;

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The beginning of a text that is too long, without half a code point at its end. */
export function cut(text: string, most = UNITS_MAX): string {
  if (text.length <= most) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return `${text.slice(0, end)}…`;
}

export interface Part {
  text: string;
  /** Somebody's entry stands here. */
  isFound: boolean;
}

/** A text in parts, found and not found in turn. Places are characters as readers count them. */
export function parts(text: string, found: readonly Pick<Found, 'start' | 'end'>[]): Part[] {
  const shown = cut(text);
  if (found.length === 0) return shown === '' ? [] : [{ text: shown, isFound: false }];
  const parts: Part[] = [];
  let at = 0;
  for (const { segment } of characters.segment(shown)) {
    const isFound = found.some(({ start, end }) => at >= start && at < end);
    const last = parts.at(-1);
    if (last && last.isFound === isFound) last.text += segment;
    else parts.push({ text: segment, isFound });
    at += 1;
  }
  return parts;
}
