// What a run comes to: the rows of its table, what was promised, and what speaks against the run itself. Values in, values out.

import { KINDS, type Kind } from './clients/index.js';
import { peakName, type Outcome } from './run.js';
import type { Plan } from './schedule.js';
import type { Log } from './session.js';
import { FAILURES, judge, type Failure, type Verdict } from './verdict.js';

export interface Row {
  kind: Kind;
  network: string;
  sessions: number;
  completedPercent: number;
  failures: Record<Failure, number>;
  /** Connections at the server, at a time and in all. */
  peak: number;
  opened: number;
  longestAwayMs: number;
  /** Of the messages that were seen, how many were seen more than `LATE_MS` after the room showed them. */
  latePercent: number;
}

export const ALL = 'all';
const LATE_MS = 5_000;
const LOAD_MAX = 4;
const STOOD_STILL_MS_MAX = 500;
const COMPLETED_PERCENT = 95;

export interface Judged {
  log: Log;
  plan: Plan;
  verdict: Verdict;
}

export function judged({ logs, plans, rooms }: Pick<Outcome, 'logs' | 'plans' | 'rooms'>): Judged[] {
  return logs.flatMap((log) => {
    const plan = plans.get(log.name);
    return plan ? [{ log, plan, verdict: judge(log, plan, rooms.get(log.room) ?? []) }] : [];
  });
}

/** A row for each client in each network, and in all of them. */
export function rows(judged: readonly Judged[], { networks, peaks }: Pick<Outcome, 'networks' | 'peaks'>): Row[] {
  return [...networks, ALL].flatMap((network) =>
    KINDS.map((kind) => {
      const verdicts = judged.filter(({ log }) => log.kind === kind && (network === ALL || log.network === network)).map(({ verdict }) => verdict);
      return row(kind, network, verdicts, peaks.get(peakName(kind, network === ALL ? undefined : network)) ?? { most: 0, total: 0 });
    }),
  );
}

export function row(kind: Kind, network: string, verdicts: readonly Verdict[], peak: { most: number; total: number }): Row {
  const late = verdicts.flatMap(({ lateMs }) => lateMs);
  const failed = (name: Failure) => verdicts.filter(({ failure }) => failure === name).length;
  return {
    kind,
    network,
    sessions: verdicts.length,
    completedPercent: percent(verdicts.filter(({ failure }) => !failure).length, verdicts.length),
    failures: Object.fromEntries(FAILURES.map((name) => [name, failed(name)])) as Record<Failure, number>,
    peak: peak.most,
    opened: peak.total,
    longestAwayMs: Math.round(verdicts.reduce((longest, { awayMs }) => Math.max(longest, awayMs), 0)),
    latePercent: percent(late.filter((ms) => ms > LATE_MS).length, late.length),
  };
}

export function promises(rows: readonly Row[]): { text: string; kept: boolean }[] {
  const of = (kind: Kind) => rows.find((row) => row.kind === kind && row.network === ALL);
  const [ours, fixed] = [of('ours'), of('fixed')];
  if (!ours || !fixed) return [];
  return [
    { text: `${ours.completedPercent.toFixed(1)} % of our sessions complete, ${COMPLETED_PERCENT} % promised`, kept: ours.completedPercent >= COMPLETED_PERCENT },
    { text: `our peak of ${ours.peak} connections is below the ${fixed.peak} of a fixed interval`, kept: ours.peak < fixed.peak },
  ];
}

/** Why the figures may say nothing. */
export function doubts({ blind, stoodStillMs }: Pick<Outcome, 'blind' | 'stoodStillMs'>, load: number): string[] {
  return [
    `load average: ${load.toFixed(1)} at most${load > LOAD_MAX ? `, above ${LOAD_MAX}: this run says nothing` : ''}`,
    ...(stoodStillMs > STOOD_STILL_MS_MAX ? [`the rig itself stood still for ${stoodStillMs} ms: it says little`] : []),
    ...(blind.length > 0 ? [`nobody saw all of ${blind.join(', ')}: their sessions are judged by too little`] : []),
  ];
}

const HEAD = ['network', 'client', 'sessions', 'completed', 'peak', 'opened', 'away', 'late', ...FAILURES];

export function table(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const pad = (text: string, column: number) => (column < 2 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0));
  return lines.map((line) => `  ${line.map(pad).join('  ').trimEnd()}`).join('\n');
}

function cells(row: Row): string[] {
  return [
    row.network,
    row.kind,
    String(row.sessions),
    `${row.completedPercent.toFixed(1)} %`,
    String(row.peak),
    String(row.opened),
    `${(row.longestAwayMs / 1000).toFixed(1)} s`,
    `${row.latePercent.toFixed(1)} %`,
    ...FAILURES.map((name) => (row.failures[name] > 0 ? String(row.failures[name]) : '·')),
  ];
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : (100 * part) / whole;
}
