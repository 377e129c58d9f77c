// Both languages say everything, the page speaks its reader's, and times are read at a glance.

import { describe, expect, it } from 'vitest';
import { clock, countdown, span } from '../frame/time';
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

  it('say a time, and the day if it is another', () => {
    const now = new Date(2026, 4, 9, 13, 5, 9).getTime();
    expect(clock(now, now, 'en')).toBe('13:05:09');
    expect(clock(new Date(2026, 4, 9, 0, 0, 0).getTime(), now, 'en')).toBe('00:00:00');
    expect(clock(new Date(2026, 4, 8, 13, 5, 9).getTime(), now, 'en')).toBe('May 8 13:05:09');
    expect(clock(new Date(2026, 3, 9, 13, 5, 9).getTime(), now, 'zh-CN')).toBe('4月9日 13:05:09');
  });

  it.each([[0, '0:00'], [1, '0:01'], [65_000, '1:05'], [3_600_000, '1:00:00'], [-5, '0:00']])('%i ms count down as %s', (ms, told) => expect(countdown(ms)).toBe(told));
  it.each([[0, '0 sec'], [59_000, '59 sec'], [600_000, '10 min'], [7_200_000, '2 hr'], [864_000_000, '10 days']])('%i ms are %s', (ms, told) => expect(span(ms, 'en')).toBe(told));
});
