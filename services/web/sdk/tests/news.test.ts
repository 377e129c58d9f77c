// What the news of the machine does, in every state.

import { expect, test } from 'vitest';
import { deedOf, newsWaitMs } from '../src/news.js';

test('news by state', () => {
  const rows = [
    // news       idle       connecting live       waiting    stopped
    ['online', 'nothing', 'again', 'again', 'again', 'nothing'],
    ['changed', 'nothing', 'again', 'again', 'again', 'nothing'],
    ['offline', 'nothing', 'park', 'park', 'park', 'nothing'],
    ['shown', 'nothing', 'nothing', 'probe', 'now', 'nothing'],
    ['hidden', 'nothing', 'nothing', 'nothing', 'nothing', 'nothing'],
  ] as const;
  const kinds = ['idle', 'connecting', 'live', 'waiting', 'stopped'] as const;
  for (const [news, ...deeds] of rows)
    expect(
      kinds.map((kind) => deedOf(news, kind)),
      news,
    ).toEqual(deeds);
});

test('news that come many times a second are followed once a second', () => {
  expect([newsWaitMs(-Infinity, 5), newsWaitMs(1_000, 1_300), newsWaitMs(1_000, 2_000)]).toEqual([0, 700, 0]);
});
