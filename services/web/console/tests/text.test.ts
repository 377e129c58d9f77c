// Texts are parted where readers see characters, and cut where no line can hold them.

import { describe, expect, it } from 'vitest';
import { cut, parts } from '../live/text';

const found = (text: string, ...places: [number, number][]) =>
  parts(text, places.map(([start, end]) => ({ start, end }))).map(({ text, isFound }) => (isFound ? `[${text}]` : text)).join('');

describe('a text', () => {
  it.each([
    ['一二三四', [[1, 3]], '一[二三]四'],
    ['一二三四', [[0, 4]], '[一二三四]'],
    ['一二三四', [[0, 1], [1, 2]], '[一二]三四'],
    ['一二三四', [[0, 2], [1, 3], [3, 3]], '[一二三]四'],
    ['一二', [[1, 99]], '一[二]'],
    ['一二', [], '一二'],
    ['', [[0, 1]], ''],
    ['👨‍👩‍👧坏词', [[1, 3]], '👨‍👩‍👧[坏词]'],
    ['e\u0301x', [[1, 2]], 'e\u0301[x]'],
    ['🇨🇳🇩🇪', [[1, 2]], '🇨🇳[🇩🇪]'],
  ] as [string, [number, number][], string][])('%s with %j is %s', (text, places, told) => expect(found(text, ...places)).toBe(told));

  it('is never more than it was', () => {
    for (const text of ['x'.repeat(5_000), '🙂'.repeat(2_000), `a${'\u0301'.repeat(1_000)}b`, '\u202Eabc', '<img src=x onerror=alert(1)>']) {
      const told = parts(text, [{ start: 0, end: 3 }]).map((part) => part.text).join('');
      expect(told).toBe(cut(text));
    }
  });

  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc…'],
    ['ab🙂', 3, 'ab…'],
    ['ab🙂', 4, 'ab🙂'],
  ])('%s at most %i is %s', (text, most, told) => expect(cut(text, most)).toBe(told));
});
