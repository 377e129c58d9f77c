// An import's report as rows to read, line by line: faults that stop it, and doubts that can be insisted on. Pure.

import type { Refusal } from '../api/client';
import { DOUBTS, type Doubt, type Report } from '../api/shapes';

export interface ReportRow {
  tone: 'fault' | 'doubt';
  /** Of the file, from 1; absent when it is about the whole. */
  line?: number;
  what: Doubt | 'fault';
  text: string;
  with: string;
}

export interface Read {
  rows: ReportRow[];
  /** How many doubts of each kind, where there are any. */
  counts: { doubt: Doubt; count: number }[];
  /** Counted, and not told: of each kind the first fifty are. */
  rest: number;
  entries: number;
  doubts: number;
}

export function read(report: Report): Read {
  const kinds = DOUBTS.map((doubt) => ({ doubt, ...report[doubt] }));
  const rows = kinds.flatMap(({ doubt, first }) =>
    first.map(({ line, text, with: other }): ReportRow => ({ tone: 'doubt', line, what: doubt, text, with: other })),
  );
  const doubts = kinds.reduce((sum, { count }) => sum + count, 0);
  return {
    rows: rows.sort(byLine),
    counts: kinds.filter(({ count }) => count > 0).map(({ doubt, count }) => ({ doubt, count })),
    rest: doubts - rows.length,
    entries: report.entries,
    doubts,
  };
}

/** The faults of what was refused. */
export function faults(refusal: Refusal): ReportRow[] {
  const rows = refusal.problems.map(({ line, message }): ReportRow => {
    const row = { tone: 'fault', what: 'fault', text: message, with: '' } as const;
    return line === undefined ? row : { ...row, line };
  });
  return rows.sort(byLine);
}

function byLine(one: ReportRow, other: ReportRow): number {
  return (one.line ?? 0) - (other.line ?? 0);
}
