// What each frame cost the page's script, out of the browser's own trace. Pure.

export interface Slice {
  name: string;
  ph: string;
  /** Microseconds by the clock, and those of them that the thread had a core. */
  ts: number;
  dur?: number;
  tdur?: number;
  pid: number;
  tid: number;
}

/** Where script begins to run: what it calls lies inside and is not counted twice. */
const ENTRIES = new Set([
  'FireAnimationFrame',
  'TimerFire',
  'FunctionCall',
  'EvaluateScript',
  'EventDispatch',
  'RunMicrotasks',
  'FireIdleCallback',
]);
/** Callbacks of one frame follow one another; the next frame is at least so far away. */
const FRAME_US_MIN = 4_000;

/**
 * Milliseconds of script from each frame's begin to the next one's, as the thread's own time: what other programs took from
 * it in between says nothing about the page.
 */
export function scriptPerFrame(trace: readonly Slice[]): number[] {
  const main = trace.find(({ name }) => name === 'FireAnimationFrame');
  if (!main) return [];
  const slices = trace
    .filter(({ name, ph, pid, tid }) => ph === 'X' && ENTRIES.has(name) && pid === main.pid && tid === main.tid)
    .sort((one, other) => one.ts - other.ts || (other.dur ?? 0) - (one.dur ?? 0));
  const frames: number[] = [];
  let begun = -Infinity; // the last callback for a frame
  let covered = -Infinity; // what begins before is called by what was counted already
  for (const { name, ts, dur = 0, tdur = dur } of slices) {
    if (name === 'FireAnimationFrame') {
      if (ts - begun >= FRAME_US_MIN) frames.push(0);
      begun = ts;
    }
    const last = frames.length - 1;
    if (last >= 0 && ts >= covered) frames[last] = (frames[last] ?? 0) + tdur / 1_000;
    covered = Math.max(covered, ts + dur);
  }
  // The last one may have been cut off.
  return frames.slice(0, -1);
}

/** The value that a share of all does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
