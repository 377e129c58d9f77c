// The most pressing is first, and a key acts on it only when it was there to be read.

import { describe, expect, it } from 'vitest';
import type { Hold } from '../api/shapes';
import { left, Queue, SETTLE_MS } from '../live/queue';

const hold = (id: string, deadline_ms: number, decision?: Hold['decision']): Hold => ({
  id, room: 'demo', user: 'u', name: 'n', text: 't', held_ms: deadline_ms - 60_000, deadline_ms, rule: '', hits: [], rules_version: 1, ...(decision ? { decision } : {}),
});
const decided = { outcome: 'approved', by: 'ann', at_ms: 1, reason: '' };
const ids = (queue: Queue) => queue.waiting.map(({ id }) => id);

describe('the held queue', () => {
  it('has the most pressing first, once each, and none that was decided', () => {
    const queue = new Queue();
    queue.reset([hold('b', 20), hold('a', 10), hold('x', 5, decided)], 0);
    queue.add(hold('c', 15), 0);
    queue.add(hold('c', 15), 0);
    queue.add(hold('y', 1, decided), 0);
    expect(ids(queue)).toEqual(['a', 'c', 'b']);
    expect(queue.take('c', 0)?.id).toBe('c');
    expect(queue.take('c', 0)).toBeUndefined();
    expect(ids(queue)).toEqual(['a', 'b']);
  });

  it('gives a key nothing that came up just now', () => {
    const queue = new Queue();
    queue.add(hold('b', 20), 1_000);
    expect(queue.next(1_000 + SETTLE_MS - 1)).toBeUndefined();
    expect(queue.next(1_000 + SETTLE_MS)?.id).toBe('b');
    // Somebody else's decision, or a more pressing one, puts another under the finger.
    queue.add(hold('a', 10), 5_000);
    expect(queue.next(5_000)).toBeUndefined();
    expect(queue.next(5_000 + SETTLE_MS)?.id).toBe('a');
    queue.take('a', 6_000);
    expect(queue.next(6_100)).toBeUndefined();
    // What comes behind changes nothing about the first.
    queue.add(hold('z', 90), 6_200);
    expect(queue.next(6_000 + SETTLE_MS)?.id).toBe('b');
    expect(new Queue().next(10_000)).toBeUndefined();
  });

  it('lets go of what was decided before the service answers, and takes it back if it waits still', () => {
    const queue = new Queue();
    queue.reset([hold('a', 10), hold('b', 20)], 0);
    queue.leave('a', 1_000);
    queue.add(hold('a', 10), 1_100);
    queue.reset([hold('a', 10), hold('b', 20)], 1_200);
    expect(ids(queue)).toEqual(['b']);
    queue.settle('a');
    queue.reset([hold('a', 10), hold('b', 20)], 1_300);
    expect(ids(queue)).toEqual(['a', 'b']);
  });

  it.each([
    [0, 60, 1],
    [1, 60, 59_999 / 60_000],
    [30_000, 30, 0.5],
    [59_001, 1, 999 / 60_000],
    [60_000, 0, 0],
    [90_000, 0, 0],
    [-5_000, 65, 1],
  ])('at %i ms there are %i s left', (now, seconds, share) => {
    const told = left({ held_ms: 0, deadline_ms: 60_000 }, now);
    expect(told.seconds).toBe(seconds);
    expect(told.share).toBeCloseTo(share, 9);
  });
});
