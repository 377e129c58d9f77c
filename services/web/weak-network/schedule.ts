// What one session does and what befalls it, from a seed. Times are milliseconds from the run's beginning; nothing runs here.

import type { Network } from './networks.js';
import { between, seeded, times, type Random } from './random.js';

export const MESSAGES = 20;

/** Everyone is in before the first message, and the last one has time to arrive, also after a recovery. */
const LOGIN_MS = 10_000;
const FIRST_MS = 20_000;
const LAST_BEFORE_END_MS = 20_000;

/** As long as a lift or a tunnel takes. */
const STALL_MS = { low: 2_000, high: 12_000 };

/** Of all sessions, in whatever network, these are behind one gateway, which restarts once. */
const BEHIND_GATEWAY = 1 / 3;

/**
 * A stall holds all bytes back and lets them go at once afterwards; a silence swallows what the open connections say, for good, and
 * tells nobody; a move does the same and the device knows, as a phone that goes from one network to another; a restart of the gateway
 * breaks the connections of many at the same moment, and both ends are told.
 */
export type Fault = { kind: 'stall'; at: number; ms: number } | { kind: 'silence' | 'move' | 'restart'; at: number };

export interface Plan {
  loginAt: number;
  /** When it says each of its messages. */
  says: readonly number[];
  faults: readonly Fault[];
  closeAt: number;
}

/** The plan of session `index`; in `lengthMs` (a minute at least) it is over. */
export function plan(seed: string, index: number, network: Network, lengthMs: number): Plan {
  const last = lengthMs - LAST_BEFORE_END_MS;
  const slot = (last - FIRST_MS) / MESSAGES;
  const talk = seeded(`${seed}/${index}/talk`);
  const restart: Fault = { kind: 'restart', at: between(seeded(`${seed}/gateway`), FIRST_MS, last) };
  const isBehind = seeded(`${seed}/${index}/gateway`)() < BEHIND_GATEWAY;
  return {
    loginAt: between(talk, 0, LOGIN_MS),
    says: Array.from({ length: MESSAGES }, (_, turn) => FIRST_MS + (turn + talk()) * slot),
    faults: [...faults(seeded(`${seed}/${index}/faults`), network, last), ...(isBehind ? [restart] : [])].sort((a, b) => a.at - b.at),
    closeAt: lengthMs,
  };
}

/** What befalls one session alone. */
function faults(random: Random, network: Network, last: number): Fault[] {
  const when = () => between(random, FIRST_MS, last);
  const some = <T>(mean: number, make: () => T) => Array.from({ length: times(random, mean) }, make);
  return [
    ...some(network.stalls, (): Fault => ({ kind: 'stall', at: when(), ms: between(random, STALL_MS.low, STALL_MS.high) })),
    ...some(network.silences, (): Fault => ({ kind: 'silence', at: when() })),
    ...some(network.moves, (): Fault => ({ kind: 'move', at: when() })),
  ];
}
