// A room's mode in words. Pure.

import type { Mode } from '../api/shapes';
import type { Words } from '../frame/words';

export const FREE: Mode = { slow_ms: 0, level_min: 0, followers_min_s: 0, emote_only: false, emergency: false, delay_ms: 0 };

/** What holds, the strictest first. */
export function modeParts(mode: Mode, w: Words): string[] {
  return [
    mode.emergency && w.mode.emergency,
    mode.slow_ms > 0 && w.mode.slow(Math.ceil(mode.slow_ms / 1000)),
    mode.emote_only && w.mode.emote,
    mode.level_min > 0 && w.mode.level(mode.level_min),
    mode.followers_min_s > 0 && w.mode.followers(Math.ceil(mode.followers_min_s / 60)),
    mode.delay_ms > 0 && w.mode.delay(mode.delay_ms / 1000),
  ].filter((part) => typeof part === 'string');
}

export function modeWords(mode: Mode, w: Words): string {
  return modeParts(mode, w).join(' · ') || w.mode.free;
}
