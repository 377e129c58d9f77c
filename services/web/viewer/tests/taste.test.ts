// What a viewer chose, as it is kept and read again; and what he does not see for it.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { foldKey } from '../src/fold.js';
import { PEOPLE_MAX, tasteOf, USUAL, withPerson, withWord, WORDS_MAX } from '../src/taste.js';
import { unwanted } from '../src/unwanted.js';
import { said } from './said.js';

test('what was kept is read again', () => {
  const chosen = {
    ...USUAL,
    opacity: 0.4,
    area: 'half',
    folds: false,
    words: ['spoiler'],
    people: [{ id: 'u1', name: 'U' }],
  } as const;
  assert.deepEqual(tasteOf(JSON.stringify(chosen)), chosen);
});

test('what nobody can have chosen is at its default', () => {
  const odd = [
    '',
    'null',
    '[]',
    '7',
    '{"opacity":0}',
    '{"speed":"2"}',
    '{"area":"all"}',
    '{"words":[3,""," "]}',
    '{"people":[{}]}',
    '{"size":1e9}',
  ];
  for (const kept of [null, ...odd]) assert.deepEqual(tasteOf(kept), USUAL, String(kept));
});

test('lists are bounded, and the oldest gives way', () => {
  let taste = USUAL;
  for (let i = 0; i <= WORDS_MAX; i += 1) taste = withWord(taste, `w${i}`);
  for (let i = 0; i <= PEOPLE_MAX; i += 1) taste = withPerson(taste, { id: `u${i}`, name: '' });
  assert.deepEqual([taste.words.length, taste.words[0]], [WORDS_MAX, 'w1']);
  assert.deepEqual([taste.people.length, taste.people[0]?.id], [PEOPLE_MAX, 'u1']);
  assert.equal(withWord(taste, '  '), taste);
  assert.equal(withWord(taste, ' w7 '), taste);
});

test('a word is found in any width and case, and one’s own lines always pass', () => {
  const isUnwanted = unwanted({ words: ['Spoiler', '剧透'], people: [{ id: 'loud', name: 'L' }] });
  const table: [string, Partial<Parameters<typeof said>[1]>, boolean][] = [
    ['no SPOILERS please', {}, true],
    ['ｓｐｏｉｌｅｒ', {}, true],
    ['有剧透', {}, true],
    ['fine', {}, false],
    ['fine', { by: 'loud' }, true],
    ['剧透', { own: true }, false],
    ['', { user: undefined }, false],
  ];
  for (const [text, more, expected] of table) assert.equal(isUnwanted(said(text, more)), expected, text);
  assert.equal(unwanted(USUAL)(said('anything')), false);
});

test('what says the same has one key', () => {
  const key = (text: string, position = 'scroll') => foldKey({ text, position });
  for (const [one, other] of [
    ['666', '６６６'],
    ['666', '66666666'],
    ['GG', ' gg '],
    ['哈哈哈', '哈哈哈哈哈'],
    ['a  b', 'A b'],
  ] as const)
    assert.equal(key(one), key(other), `${one} ${other}`);
  for (const [one, other] of [
    ['666', '66'],
    ['？', '？？'],
    ['好', '好好'],
    ['a b', 'ab'],
  ] as const)
    assert.notEqual(key(one), key(other), `${one} ${other}`);
  assert.notEqual(key('666'), key('666', 'top'));
  assert.ok(key('e' + '\u0301'.repeat(1_000)).length < 500);
});
