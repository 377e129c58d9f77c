// Both languages say the same things, and every refusal has words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsFor } from '../words.js';
import { en } from '../words-en.js';
import { zh } from '../words-zh.js';

const shape = (value) =>
  typeof value === 'object'
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [key, shape(value[key])]),
      )
    : typeof value;

test('the two languages have the same keys', () => assert.deepEqual(shape(zh), shape(en)));

test('the first language the page speaks is taken', () => {
  const pick = (...tags) => wordsFor(tags).lang;
  assert.deepEqual([pick('zh-TW', 'en'), pick('fr', 'zh'), pick('en-GB'), pick('fr')], ['zh-CN', 'zh-CN', 'en', 'en']);
});

test('refusals and verdicts name the seconds to wait', () => {
  const words = wordsFor(['en']);
  assert.equal(words.refused('rate_limited', 3), 'Too fast. Again in 3 s');
  assert.equal(words.refused('new_code', 0), 'Not sent (new_code)');
  assert.equal(
    words.verdict({ verdict: 'limited', code: 'mode_slow', retry_after_ms: 2_100 }),
    'Slow mode. Again in 3 s',
  );
  assert.equal(words.verdict({ verdict: 'blocked', code: 'words' }), en.verdicts.blocked);
});

test('a room without rules says nothing', () => {
  const words = wordsFor(['en']);
  assert.equal(words.mode({}), '');
  assert.equal(
    words.mode({ slow_ms: 30_000, followers_min_s: 0, level_min: 5 }),
    'Slow 30 s · Level 5+ · Followers only',
  );
});
