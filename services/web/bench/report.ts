// The bench's figures in words, and whether they are good enough. Pure.

import { loadavg } from 'node:os';
import { percentile } from './frames.js';
import type { Watched } from './watch.js';

export interface Figures extends Watched {
  minutes: number;
  rate: number;
  /** Danmaku that the hall said. */
  sent: number;
}

/** A quarter of a frame at 60 a second: the rest is for style, layout and paint. */
const SCRIPT_MS_MAX = 4;
/** More than this share above the first figure is growth: messages that are kept would fill it in half a minute. */
const GROWTH_MAX = 0.2;

export interface Judgement {
  what: string;
  ok: boolean;
}

export function judged({ frames, heap, books, sent }: Figures): Judgement[] {
  const [received = NaN, ...fates] = Object.values(books);
  const first = heap[0] ?? NaN;
  // What is held is what the lowest figure shows: one taken in the midst of a batch is higher.
  const last = Math.min(...heap.slice(-3));
  return [
    { what: `script ≤ ${SCRIPT_MS_MAX} ms a frame at p95`, ok: percentile(frames, 0.95) <= SCRIPT_MS_MAX },
    { what: `memory flat (at most ${GROWTH_MAX * 100} % above the start)`, ok: last <= first * (1 + GROWTH_MAX) },
    { what: 'received = what the hall said', ok: received === sent },
    { what: 'received = the sum of its fates', ok: fates.reduce((sum, count) => sum + count, 0) === received },
  ];
}

export function report(figures: Figures): string {
  const { frames, framesPerS, heap, nodes, books, minutes, rate, sent, lostOnTheWay } = figures;
  const ms = (share: number) => percentile(frames, share).toFixed(2);
  const rows = [
    ['danmaku', `${sent} said: a flood, then ${rate} a second for ${minutes} min; as dense as fits`],
    [
      'script a frame',
      `p50 ${ms(0.5)} ms   p95 ${ms(0.95)} ms   p99 ${ms(0.99)} ms   most ${ms(1)} ms   (${frames.length} frames, ${framesPerS.toFixed(0)} a second)`,
    ],
    ['heap', `${heap.map((mb) => mb.toFixed(1)).join(' ')} MB`],
    ['DOM nodes', nodes.join(' ')],
    [
      'books',
      Object.entries(books)
        .map(([name, count]) => `${count} ${name}`)
        .join(', '),
    ],
    ['lost on the way', lostOnTheWay],
    [
      'machine',
      `load ${loadavg()
        .map((load) => load.toFixed(1))
        .join(' ')}`,
    ],
    ...judged(figures).map(({ what, ok }) => [ok ? 'ok' : 'NOT OK', what]),
  ];
  return rows.map(([name, value]) => `${name?.padEnd(16)} ${value}`).join('\n');
}
