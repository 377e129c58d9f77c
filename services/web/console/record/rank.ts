// Which entries are likely bad ones: those whose held messages moderators mostly let through. Pure.

import type { EntryNumbers } from '../api/shapes';

export type Sort = 'bad' | 'hits' | 'last';

/** 95 % sure: one message that was let through out of one says little, nine out of ten say much. */
const Z = 1.96;
/** At least so much of what it holds is let through, nearly surely: it hits the innocent. */
const BAD = 0.5;

/** The least share let through that the decisions make likely (Wilson's lower bound). */
export function badness({ approved, rejected }: Pick<EntryNumbers, 'approved' | 'rejected'>): number {
  const n = approved + rejected;
  if (n === 0) return 0;
  const share = approved / n;
  const middle = share + (Z * Z) / (2 * n);
  const spread = Z * Math.sqrt((share * (1 - share) + (Z * Z) / (4 * n)) / n);
  return Math.max(0, (middle - spread) / (1 + (Z * Z) / n));
}

export function isBad(entry: Pick<EntryNumbers, 'approved' | 'rejected'>): boolean {
  return badness(entry) >= BAD;
}

export function ranked(entries: readonly EntryNumbers[], sort: Sort): EntryNumbers[] {
  const by: Record<Sort, (one: EntryNumbers, other: EntryNumbers) => number> = {
    bad: (one, other) => badness(other) - badness(one) || other.hits - one.hits,
    hits: (one, other) => other.hits - one.hits,
    last: (one, other) => other.last_ms - one.last_ms,
  };
  return [...entries].sort(by[sort]);
}
