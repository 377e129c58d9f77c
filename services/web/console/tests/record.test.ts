// Bad entries stand out, the log is found by a word, nodes are told as far as they are.

import { describe, expect, it } from 'vitest';
import type { AuditRow, EntryNumbers } from '../api/shapes';
import { End, PAGE } from '../record/end';
import { places } from '../record/places';
import { badness, isBad, ranked } from '../record/rank';
import { found, said } from '../record/rows';

const numbers = (entry: string, hits: number, approved: number, rejected: number, last_ms = 0): EntryNumbers => ({ entry, list: 'l', category: 'c', hits, observed: 0, first_ms: 0, last_ms, held: approved + rejected, approved, rejected });

describe('an entry', () => {
  it.each([
    [0, 0, false],
    [1, 0, false],
    [3, 0, false],
    [4, 0, true],
    [9, 1, true],
    [6, 4, false],
    [60, 40, true],
    [0, 100, false],
  ])('with %i let through and %i not is bad: %s', (approved, rejected, bad) => expect(isBad({ approved, rejected })).toBe(bad));

  it('is the worse the surer it is', () => {
    expect(badness({ approved: 90, rejected: 10 })).toBeGreaterThan(badness({ approved: 9, rejected: 1 }));
    for (let approved = 0; approved < 50; approved += 1)
      for (let rejected = 0; rejected < 50; rejected += 1) {
        const bad = badness({ approved, rejected });
        expect(bad >= 0 && bad <= approved / Math.max(1, approved + rejected) + 1e-12).toBe(true);
      }
  });

  it('is ranked', () => {
    const all = [numbers('a', 100, 0, 5, 1), numbers('b', 5, 20, 0, 2), numbers('c', 50, 0, 0, 3)];
    const order = (sort: Parameters<typeof ranked>[1]) => ranked(all, sort).map(({ entry }) => entry).join('');
    expect([order('bad'), order('hits'), order('last')]).toEqual(['bac', 'acb', 'cba']);
  });
});

describe('the log', () => {
  const row = (more: Partial<AuditRow>): AuditRow => ({ sequence: 1, at_ms: 0, act: 'mute', scope: 'room/demo', actor: 'ann', subject: 'user/eve', reason: 'spam', before: '', after: '', hash: '', ...more });

  it('is found by any of its words', () => {
    const rows = [row({}), row({ act: 'edit', actor: 'Bob', subject: 'house' })];
    expect(['', ' SPAM', 'bob', 'house', 'nothing'].map((find) => found(rows, find).length)).toEqual([2, 2, 1, 1, 0]);
  });

  it.each([
    ['', []],
    ['{"number":4,"text":"x","ids":["a"]}', [{ name: 'number', value: '4' }, { name: 'text', value: 'x' }, { name: 'ids', value: '["a"]' }]],
    ['not json', [{ name: '', value: 'not json' }]],
    ['[1]', [{ name: '', value: '[1]' }]],
  ])('says what was: %s', (json, fields) => expect(said(json)).toEqual(fields));
});

describe('nodes', () => {
  it.each([
    [{ partition: 3, nodes: [{ node: 'a', address: 'x:1' }, { node: 7 }, null] }, { partition: 3, places: [{ node: 'a', address: 'x:1' }] }],
    [{ nodes: 'none' }, { places: [] }],
    [null, { places: [] }],
    ['html', { places: [] }],
  ])('of %j', (answer, told) => expect(places(answer)).toEqual(told));
});

describe('the end of the log', () => {
  const row = (sequence: number) => ({ sequence }) as AuditRow;
  /** A log of so many rows, and from where on it was asked for. */
  const log = (count: number) => {
    const state = { count, asked: [] as number[], isAway: false };
    const end = new End(async (after) => {
      state.asked.push(after);
      if (state.isAway) return { ok: false, refusal: { status: 0, code: 'unreachable', message: '', problems: [] } };
      const more = Math.min(PAGE, state.count - after);
      return { ok: true, value: { rows: Array.from({ length: more }, (_, at) => row(after + at + 1)) } };
    });
    return { state, end };
  };

  it('is read through once, and then from where it ended', async () => {
    const { state, end } = log(6_500);
    await end.read();
    expect(state.asked).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000]);
    expect([end.rows().length, end.rows()[0]?.sequence]).toEqual([5_000, 6_500]);
    state.count = 6_502;
    state.asked = [];
    // Two deeds at once are no row twice.
    await Promise.all([end.read(), end.read()]);
    expect(state.asked).toEqual([6_500, 6_502]);
    expect(end.rows().slice(0, 3).map(({ sequence }) => sequence)).toEqual([6_502, 6_501, 6_500]);
  });

  it('goes on after a refusal', async () => {
    const { state, end } = log(2);
    state.isAway = true;
    expect(await end.read()).toMatchObject({ code: 'unreachable' });
    state.isAway = false;
    expect(await end.read()).toBeUndefined();
    expect(end.rows().length).toBe(2);
  });
});
