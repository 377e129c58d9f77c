// Entries come page by page; differences and reports are rows.

import { describe, expect, it } from 'vitest';
import type { Diff, Entry, Report } from '../api/shapes';
import { fields, middle, rows } from '../book/diff';
import { fresh } from '../book/editor';
import { Pages } from '../book/pages';
import { faults, read } from '../book/report';

const entry = (id: string, more: Partial<Entry> = {}): Entry => ({ ...fresh(), id, list: 'house', text: id, author: 'ann', added_ms: 1, ...more });
const page = (from: number, to: number, total: number, next?: string) => ({
  total, entries: Array.from({ length: to - from }, (_, at) => entry(`e${from + at}`)), ...(next === undefined ? {} : { next }),
});

describe('the pages of a list', () => {
  it('are asked for one by one until what is looked at is there', () => {
    const pages = new Pages(false);
    expect([pages.wants(0), pages.count]).toEqual(['', 0]);
    pages.take('', page(0, 1000, 2500, 'e999'));
    expect([pages.count, pages.wants(999), pages.wants(1000), pages.wants(2499)]).toEqual([2500, undefined, 'e999', 'e999']);
    pages.take('e999', page(1000, 2000, 2500, 'e1999'));
    pages.take('e1999', page(2000, 2500, 2500));
    expect([pages.count, pages.entries.length, pages.wants(99_999), pages.hasMore]).toEqual([2500, 2500, undefined, false]);
  });

  it('take no page twice, and none that is late', () => {
    const pages = new Pages(false);
    pages.take('', page(0, 10, 20, 'e9'));
    expect([pages.take('', page(0, 10, 20, 'e9')), pages.take('e5', page(5, 15, 20))]).toEqual([false, false]);
    expect(pages.entries).toHaveLength(10);
  });

  it('are walked through entry by entry', () => {
    const pages = new Pages(false);
    expect(pages.step(undefined, 1)).toBeUndefined();
    pages.take('', page(0, 3, 3));
    const walk = (id: string | undefined, by: 1 | -1) => pages.step(id, by)?.id;
    expect([walk(undefined, 1), walk('e0', 1), walk('e2', 1), walk('e0', -1), walk('gone', -1)]).toEqual(['e0', 'e1', 'e2', 'e0', 'e0']);
  });

  it('of a search have one row for what is not told yet', () => {
    const pages = new Pages(true);
    expect(pages.count).toBe(1);
    pages.take('', page(0, 10, 65_039, 'e9'));
    expect(pages.count).toBe(11);
    pages.take('e9', page(10, 12, 65_039));
    expect(pages.count).toBe(12);
    const none = new Pages(true);
    none.take('', page(0, 0, 65_039));
    expect(none.count).toBe(0);
  });
});

describe('what differs', () => {
  it('is each field that does, and nothing that nobody chose', () => {
    const before = entry('e1', { text: 'blorp', severity: 2, tags: ['a'] });
    const after = entry('e1', { text: 'blorb', severity: 4, tags: ['a', 'b'], gaps: 1, author: 'bob', added_ms: 9 });
    expect(fields(before, after)).toEqual([
      { name: 'text', before: 'blorp', after: 'blorb' },
      { name: 'severity', before: '2', after: '4' },
      { name: 'tags', before: 'a', after: 'a | b' },
      { name: 'gaps', before: '', after: '1' },
    ]);
    expect(fields(before, before)).toEqual([]);
    expect(fields(after, before).find(({ name }) => name === 'gaps')).toEqual({ name: 'gaps', before: '1', after: '' });
  });

  it('is rows: lists, policy, removed, added, changed, and how many are not told', () => {
    const diff: Diff = {
      tally: { added: 1_500, removed: 1, changed: 1 }, lists: ['house: draft → enforce'], policy_after: {},
      added: [entry('e1')], removed: [entry('e2')], changed: [{ before: entry('e3'), after: entry('e3', { severity: 4 }) }],
    };
    expect(rows(diff).map((row) => (row.kind === 'rest' ? `rest ${row.count}` : row.kind))).toEqual(['list', 'policy', 'removed', 'added', 'changed', 'rest 1499']);
    expect(rows({ tally: { added: 0, removed: 0, changed: 0 }, lists: [], added: [], removed: [], changed: [] })).toEqual([]);
  });

  it.each([
    ['blorp', 'blorb', 'blor', 'p', 'b', ''],
    ['坏词语', '坏单词语', '坏', '', '单', '词语'],
    ['aa', 'aaa', 'aa', '', 'a', ''],
    ['', 'x', '', '', 'x', ''],
    ['👨‍👩‍👧a', '👨‍👩‍👦a', '', '👨‍👩‍👧', '👨‍👩‍👦', 'a'],
    ['same', 'same', 'same', '', '', ''],
  ])('of %s and %s is between what both have', (before, after, head, gone, come, tail) => {
    const told = middle(before, after);
    expect(told).toEqual({ head, before: gone, after: come, tail });
    expect([told.head + told.before + told.tail, told.head + told.after + told.tail]).toEqual([before, after]);
  });
});

describe('an import’s report', () => {
  const none = { count: 0, first: [] };
  const report: Report = {
    entries: 100, duplicates: { count: 60, first: [{ line: 9, text: 'b', with: 'line 2' }] }, one_character: { count: 1, first: [{ line: 3, text: 'x', with: '' }] },
    contained: none, collides: none, too_broad: none,
  };

  it('is rows by line, counts by kind, and how many are not told', () => {
    const told = read(report);
    expect(told.rows.map(({ line, what, text, with: other }) => [line, what, text, other])).toEqual([[3, 'one_character', 'x', ''], [9, 'duplicates', 'b', 'line 2']]);
    expect(told.counts).toEqual([{ doubt: 'duplicates', count: 60 }, { doubt: 'one_character', count: 1 }]);
    expect([told.doubts, told.rest, told.entries]).toEqual([61, 59, 100]);
    expect(read({ entries: 5, duplicates: none, one_character: none, contained: none, collides: none, too_broad: none })).toEqual({ rows: [], counts: [], rest: 0, entries: 5, doubts: 0 });
  });

  it('of what cannot be is faults by line, what is about the whole first', () => {
    const refusal = { status: 422, code: 'invalid', message: '', problems: [{ line: 7, message: 'b' }, { line: 2, message: 'a' }, { message: 'too many' }] };
    expect(faults(refusal)).toEqual([
      { tone: 'fault', what: 'fault', text: 'too many', with: '' },
      { tone: 'fault', what: 'fault', text: 'a', with: '', line: 2 },
      { tone: 'fault', what: 'fault', text: 'b', with: '', line: 7 },
    ]);
  });
});
