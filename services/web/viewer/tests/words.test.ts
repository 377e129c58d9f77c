// Both languages say the same things, and every refusal has words.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { wordsFor } from '../src/words.js';
import { en } from '../src/words-en.js';
import { zh } from '../src/words-zh.js';
import skeleton from '../index.html?raw';

const shape = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [key, shape(Object.entries(value).find(([name]) => name === key)?.[1])]),
      )
    : typeof value;

test('the two languages have the same keys', () => assert.deepEqual(shape(zh), shape(en)));

test('the first language the page speaks is taken', () => {
  const pick = (...tags: string[]) => wordsFor(tags).lang;
  assert.deepEqual([pick('zh-TW', 'en'), pick('fr', 'zh'), pick('en-GB'), pick('fr')], ['zh-CN', 'zh-CN', 'en', 'en']);
});

test('refusals and verdicts name the seconds to wait', () => {
  const words = wordsFor(['en']);
  assert.equal(words.refused('rate_limited', 3), 'Too fast. Again in 3 s');
  assert.equal(words.refused('new_code', 0), 'Not sent (new_code)');
  assert.equal(
    words.verdict({ verdict: 'limited', code: 'mode_slow', retryAfterMs: 2_100 }),
    'Slow mode. Again in 3 s',
  );
  assert.equal(words.verdict({ verdict: 'blocked', code: 'words' }), en.verdicts.blocked);
});

test('a room without rules says nothing', () => {
  const words = wordsFor(['en']);
  assert.equal(words.mode({}), '');
  assert.equal(words.mode({ slowMs: 30_000, followersMinS: 60, levelMin: 5 }), 'Slow 30 s · Level 5+ · Followers only');
});

test('what a room is told late is said to be so', () => {
  assert.equal(wordsFor(['en']).mode({ delayMs: 4_000 }), 'Delayed 4 s');
  assert.equal(wordsFor(['zh']).mode({ slowMs: 3_000, delayMs: 2_000 }), '慢速 3 秒 · 延迟 2 秒');
});

test('every word that the judge tells a sender has words', () => {
  const told = ['masked', 'blocked', 'held', 'approved', 'rejected', 'muted', 'limited', 'repeated', 'superseded'];
  for (const language of ['en', 'zh']) {
    const words = wordsFor([language]);
    for (const verdict of told) assert.notEqual(words.verdict({ verdict }), '', `${language} ${verdict}`);
    for (const code of ['words', 'contact', 'regex'])
      assert.equal(words.verdict({ verdict: 'masked', code }), words.verdict({ verdict: 'masked' }));
    assert.equal(words.verdict({ verdict: 'a later one' }), '');
  }
});

test('the page names no words that are not there, and the words hold none that it does not name', () => {
  const named = [...skeleton.matchAll(/data-(?:word|label|tip|hint)="(\w+)"/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(named)].sort(), Object.keys(en.static).sort());
});
