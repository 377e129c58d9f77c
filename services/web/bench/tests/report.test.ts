// When the bench is content.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { judged, type Figures } from '../report.js';

const good: Figures = {
  minutes: 1,
  rate: 200,
  sent: 10,
  frames: [1, 2, 3],
  framesPerS: 60,
  heap: [10, 11],
  nodes: [1],
  lostOnTheWay: '0',
  books: { received: 10, flown: 4, folded: 3, dropped: 2, waiting: 0, aside: 1 },
};

test('each fault is seen by itself', () => {
  const bad: [Partial<Figures>, number][] = [
    [{}, -1],
    [{ frames: [1, 9] }, 0],
    [{ frames: [] }, 0],
    [{ heap: [10, 13, 13, 13] }, 1],
    [{ sent: 11 }, 2],
    [{ books: { ...good.books, dropped: 1 } }, 3],
  ];
  for (const [change, fault] of bad)
    assert.deepEqual(
      judged({ ...good, ...change }).map(({ ok }) => ok),
      [0, 1, 2, 3].map((at) => at !== fault),
    );
});
