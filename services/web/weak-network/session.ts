// One session as it happens: comes in, says its messages, notes what it saw and how long it was away, leaves. It judges nothing.

import { CLIENTS, type Kind } from './clients/index.js';
import type { Where } from './clients/client.js';
import type { Plan } from './schedule.js';

/** A device knows of its new network a moment after the old one is gone. */
const NEWS_MS = 250;

export interface Assignment {
  name: string;
  kind: Kind;
  network: string;
  where: Where;
  plan: Plan;
}

/** Times are milliseconds from the run's beginning. */
export interface Log {
  name: string;
  kind: Kind;
  network: string;
  room: string;
  closedAt: number;
  /** When the client was connected, as far as it knew. */
  lines: { up: number; down?: number; why?: string }[];
  seen: { id: string; at: number }[];
}

/** What the session with this name says as its `turn`th message. */
export function words(name: string, turn: number): string {
  return `${name} says ${turn}`;
}

/** Runs until the plan is over. `now` begins at 0. */
export function live({ name, kind, network, where, plan }: Assignment, now: () => number): Promise<Log> {
  const log: Log = { name, kind, network, room: where.room, closedAt: plan.closeAt, lines: [], seen: [] };
  const client = CLIENTS[kind](where, {
    up: () => log.lines.push({ up: now() }),
    down(why) {
      const line = log.lines.at(-1);
      if (line && line.down === undefined) Object.assign(line, { down: now(), why });
    },
    seen: ({ id }) => log.seen.push({ id, at: now() }),
  });
  const at = (when: number, run: () => void) => setTimeout(run, when - now());
  at(plan.loginAt, () => client.connect());
  plan.says.forEach((when, turn) => at(when, () => client.say(words(name, turn))));
  for (const fault of plan.faults) if (fault.kind === 'move') at(fault.at + NEWS_MS, () => client.moved?.());
  return new Promise((done) =>
    at(plan.closeAt, () => {
      log.closedAt = now();
      // What the client says while it leaves is no outage.
      const copy = structuredClone(log);
      client.close();
      done(copy);
    }),
  );
}
