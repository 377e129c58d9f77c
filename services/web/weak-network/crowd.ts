// The process of one network's sessions, in a network namespace of its own where there is one. It ends with the one that started it.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { raiseFar, type Air } from './air.js';
import { live, type Assignment, type Log } from './session.js';

export type Order = { do: 'raise'; far: Air['far'] } | { do: 'live'; beginsAt: number; assignments: Assignment[] };
export type Report = { is: 'here' } | { is: 'raised' } | { is: 'over'; logs: Log[]; stoodStillMs: number };

const report = (report: Report) => process.send?.(report);

process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {}); // the one that started it decides
process.on('message', async (order: Order) => {
  if (order.do === 'raise') {
    raiseFar(order.far);
    report({ is: 'raised' });
    return;
  }
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const logs = await Promise.all(order.assignments.map((assignment) => live(assignment, () => Date.now() - order.beginsAt)));
  report({ is: 'over', logs, stoodStillMs: Math.round(delay.max / 1e6) });
});
report({ is: 'here' });
