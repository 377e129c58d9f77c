// Whether a session came through, from its log and from what its room showed to somebody on a good network. Values in, values out.

import { words, type Log } from './session.js';
import { MESSAGES, type Plan } from './schedule.js';

/** A message as the room showed it. */
export interface Shown {
  id: string;
  text: string;
  at: number;
}

/** Why a session failed: the first of these that is so. */
export const FAILURES = ['login', 'outage', 'unsaid', 'missed', 'twice'] as const;
export type Failure = (typeof FAILURES)[number];

export interface Verdict {
  failure: Failure | undefined;
  /** The longest stretch without a connection, as far as the client knew. */
  awayMs: number;
  /** How long after the room each message was seen that was seen. */
  lateMs: number[];
}

export const OUTAGE_MS_MAX = 5_000;

/** Shown later than this before the end, a message of another session need not have arrived: it took no longer to recover. */
export const LAST_MS = 15_000;

export function judge(log: Log, plan: Plan, room: readonly Shown[]): Verdict {
  const seen = new Map(log.seen.map(({ id, at }) => [id, at]));
  const due = expected(log, room);
  const own = new Set(Array.from({ length: MESSAGES }, (_, turn) => words(log.name, turn)));
  const said = room.filter(({ text }) => own.has(text));
  const awayMs = longestAway(log);
  const is: Record<Failure, boolean> = {
    login: log.lines[0] === undefined || log.lines[0].up > (plan.says[0] ?? Infinity),
    outage: awayMs > OUTAGE_MS_MAX,
    unsaid: new Set(said.map(({ text }) => text)).size < MESSAGES,
    missed: [...due, ...said].some(({ id }) => !seen.has(id)),
    twice: seen.size < log.seen.length || said.length > MESSAGES,
  };
  const lateMs = due.flatMap(({ id, at }) => {
    const when = seen.get(id);
    return when === undefined ? [] : [Math.max(when - at, 0)];
  });
  return { failure: FAILURES.find((failure) => is[failure]), awayMs, lateMs };
}

/** What the room showed while the session was in it, whoever said it. */
function expected(log: Log, room: readonly Shown[]): Shown[] {
  const from = log.lines[0]?.up ?? Infinity;
  return room.filter(({ at }) => at > from && at < log.closedAt - LAST_MS);
}

function longestAway({ lines, closedAt }: Log): number {
  return lines.reduce((longest, { down }, turn) => Math.max(longest, (lines[turn + 1]?.up ?? closedAt) - (down ?? closedAt)), 0);
}
