// What the news of the machine (its network, and whether the page is seen) does to the connection. Pure.

import type { News } from './env.js';
import type { State } from './types.js';

/**
 * `again`: drop what there is and connect now, with the attempts forgotten; `now`: stop waiting; `park`: drop the line
 * and wait for better news; `probe`: is the line alive?
 */
export type Deed = 'again' | 'now' | 'park' | 'probe' | 'nothing';

/** A network that comes and goes many times a second must not make as many connections. */
const NEWS_MS_MIN = 1_000;

export function deedOf(news: News, kind: State['kind']): Deed {
  if (kind === 'idle' || kind === 'stopped' || news === 'hidden') return 'nothing';
  if (news === 'offline') return 'park';
  if (news !== 'shown') return 'again';
  if (kind === 'live') return 'probe';
  return kind === 'waiting' ? 'now' : 'nothing';
}

/** How long news have to wait after those that were followed last: mostly not at all. */
export const newsWaitMs = (lastAt: number, now: number): number => Math.max(0, lastAt + NEWS_MS_MIN - now);
