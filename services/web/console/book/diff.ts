// What differs between two versions, as rows to read. Pure.

import type { Diff, Entry } from '../api/shapes';

/** A field that is not what it was. */
export interface Field {
  name: keyof Entry;
  before: string;
  after: string;
}
export type DiffRow =
  | { kind: 'added' | 'removed'; entry: Entry }
  | { kind: 'changed'; entry: Entry; fields: Field[] }
  | { kind: 'list'; text: string }
  | { kind: 'policy' }
  /** Counted, and not told. */
  | { kind: 'rest'; count: number };

/** What changes without anybody's wish. */
const UNTOLD = new Set<keyof Entry>(['id', 'author', 'added_ms']);

export function rows(diff: Diff): DiffRow[] {
  const rows: DiffRow[] = diff.lists.map((text) => ({ kind: 'list', text }));
  if (diff.policy_before !== undefined || diff.policy_after !== undefined) rows.push({ kind: 'policy' });
  rows.push(...diff.removed.map((entry) => ({ kind: 'removed' as const, entry })));
  rows.push(...diff.added.map((entry) => ({ kind: 'added' as const, entry })));
  rows.push(...diff.changed.map(({ before, after }) => ({ kind: 'changed' as const, entry: after, fields: fields(before, after) })));
  const { added, removed, changed } = diff.tally;
  const rest = added + removed + changed - diff.added.length - diff.removed.length - diff.changed.length;
  if (rest > 0) rows.push({ kind: 'rest', count: rest });
  return rows;
}

/** The fields that differ, in the order of the entry that is. */
export function fields(before: Entry, after: Entry): Field[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])] as (keyof Entry)[];
  return names
    .filter((name) => !UNTOLD.has(name))
    .map((name) => ({ name, before: written(before[name]), after: written(after[name]) }))
    .filter((field) => field.before !== field.after);
}

function written(value: Entry[keyof Entry]): string {
  if (value === undefined) return '';
  return Array.isArray(value) ? value.join(' | ') : String(value);
}

/** What both begin and end with, and what differs between: by characters as readers count them. */
export function middle(before: string, after: string): { head: string; before: string; after: string; tail: string } {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const [one, other] = [before, after].map((text) => [...segmenter.segment(text)].map(({ segment }) => segment)) as [string[], string[]];
  let head = 0;
  while (head < one.length && head < other.length && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < one.length - head && tail < other.length - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  const between = (all: string[]) => all.slice(head, all.length - tail).join('');
  return { head: one.slice(0, head).join(''), before: between(one), after: between(other), tail: tail > 0 ? one.slice(-tail).join('') : '' };
}
