// Both languages say everything, the page speaks its reader's, and times are read at a glance.

import { describe, expect, it } from 'vitest';
import { countdown, span } from '../frame/time';
import { languageFor } from '../frame/words';
import { en } from '../frame/words-en';
import { zh } from '../frame/words-zh';
import { FREE, modeWords } from '../live/mode-words';

/** Every path to a word. */
function paths(words: object, at = ''): string[] {
  return Object.entries(words).flatMap(([name, value]) => (typeof value === 'object' && value !== null ? paths(value as object, `${at}${name}.`) : [`${at}${name}`]));
}

describe('the words', () => {
  it('are the same in both languages', () => {
    const known = (words: object) => paths(words).filter((path) => !path.startsWith('log.acts')).sort();
    expect(known(en)).toEqual(known(zh));
  });

  it.each([[['zh-TW', 'en'], 'zh'], [['de', 'en-GB', 'zh'], 'en'], [['fr'], 'en'], [[], 'en']] as const)('for %j are %s', (languages, language) => expect(languageFor(languages)).toBe(language));

  it('say a mode, the strictest first', () => {
    expect(modeWords(FREE, en)).toBe('Free to speak');
    expect(modeWords({ ...FREE, slow_ms: 2_500, emergency: true, followers_min_s: 61, delay_ms: 4_000 }, en)).toBe('speaking paused · slow 3 s · followers of 2 min · viewers 4 s later');
  });

  it.each([[0, '0:00'], [1, '0:01'], [65_000, '1:05'], [3_600_000, '1:00:00'], [-5, '0:00']])('%i ms count down as %s', (ms, told) => expect(countdown(ms)).toBe(told));
  it.each([[0, '0 sec'], [59_000, '59 sec'], [600_000, '10 min'], [7_200_000, '2 hr'], [864_000_000, '10 days']])('%i ms are %s', (ms, told) => expect(span(ms, 'en')).toBe(told));
});
