// A trace by hand: what counts as script, once, and to which frame it belongs.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { percentile, scriptPerFrame, type Slice } from '../frames.js';

const slice = (name: string, ms: number, forMs: number, more: Partial<Slice> = {}): Slice => ({
  name,
  ph: 'X',
  ts: ms * 1_000,
  dur: forMs * 1_000,
  pid: 1,
  tid: 1,
  ...more,
});
const near = (values: number[]) => values.map((value) => Math.round(value * 1_000) / 1_000);

test('script belongs to the frame that it follows, and nested calls count once', () => {
  const trace = [
    slice('TimerFire', 0, 3), // before the first frame
    slice('FireAnimationFrame', 10, 1),
    slice('FunctionCall', 10, 0.5), // called by it
    slice('FireAnimationFrame', 11, 0.5), // a second callback of the same frame
    slice('FunctionCall', 15, 2), // a message
    slice('TimerFire', 17, 9, { tdur: 1_000 }), // another program had the core for eight of them
    slice('Layout', 19, 5),
    slice('FunctionCall', 20, 5, { tid: 2 }),
    slice('FireAnimationFrame', 26.7, 0.25),
    slice('FireAnimationFrame', 43, 1),
  ];
  assert.deepEqual(near(scriptPerFrame(trace)), [4.5, 0.25]);
  assert.deepEqual(scriptPerFrame([]), []);
});

test('a percentile is one of the values', () => {
  const values = Array.from({ length: 100 }, (_, at) => 100 - at);
  assert.deepEqual(
    [0.5, 0.95, 1].map((share) => percentile(values, share)),
    [50, 95, 100],
  );
  assert.ok(Number.isNaN(percentile([], 0.5)));
});
