// The river joins what the room saw and what it never did, in the order it was said, and forgets the oldest.

import { describe, expect, it } from 'vitest';
import type { Message } from '@danmaku/client';
import type { Hold, Refused } from '../api/shapes';
import { River } from '../live/river';

const message = (id: string, at: number, more: Partial<Message> = {}): Message => ({
  id, at, user: { id: `u${id}`, name: `name ${id}`, level: 3, badges: [] }, text: `text ${id}`, kind: 'chat',
  color: undefined, position: 'scroll', size: 'normal', event: undefined, data: undefined, edited: false, replay: false, own: false, ...more,
});
const refused = (id: string, at_ms: number, more: Partial<Refused> = {}): Refused => ({
  id, user: `u${id}`, at_ms, verdict: 'blocked', code: 'words', rule: 'e1', text: `said ${id}`, ...more,
});
const hold = (id: string, held_ms: number): Hold => ({
  id, room: 'demo', user: `u${id}`, name: 'x', text: 'held', held_ms, deadline_ms: held_ms + 60_000, rule: 'e1', hits: [{ entry: 'e1', list: 'l', category: 'other', start: 0, end: 2 }], rules_version: 5,
});
const ids = (river: River) => river.lines.map(({ id }) => id);
const fate = (river: River, id: string) => river.find(id)?.fate.peek();

describe('the river', () => {
  it('is in the order things were said, whoever told them', () => {
    const river = new River();
    river.hear([message('a', 10), message('c', 30)]);
    river.refuse([refused('d', 40), refused('b', 20)]);
    river.hear([message('e', 50)]);
    river.refuse([refused('z', 5)]);
    expect(ids(river)).toEqual(['z', 'a', 'b', 'c', 'd', 'e']);
  });

  it('shows a message once, with what was said and what the room saw', () => {
    for (const isPublicFirst of [true, false]) {
      const river = new River();
      const hear = () => river.hear([message('a', 10, { text: 'you ***' })]);
      const refuse = () => river.refuse([refused('a', 10, { verdict: 'masked', text: 'you bad' })]);
      if (isPublicFirst) (hear(), refuse(), refuse());
      else (refuse(), hear(), refuse());
      expect(ids(river)).toEqual(['a']);
      expect(river.find('a')?.text).toBe('you bad');
      expect(fate(river, 'a')).toMatchObject({ verdict: 'masked', rule: 'e1', shown: 'you ***' });
    }
  });

  it('says how many refusals were new', () => {
    const river = new River();
    expect(river.refuse([refused('b', 2), refused('a', 1)])).toBe(2);
    expect(river.refuse([refused('c', 3), refused('b', 2)])).toBe(1);
    expect(river.total).toBe(3);
  });

  it('follows what is held through its decision', () => {
    const river = new River();
    river.hold(hold('a', 10));
    expect(fate(river, 'a')).toMatchObject({ verdict: 'held', version: 5, deadlineMs: 60_010 });
    river.decide('a', 'approved', 'ann');
    river.hear([message('a', 10, { text: 'held' })]);
    river.cameTo('a', 'approved');
    expect(ids(river)).toEqual(['a']);
    expect(fate(river, 'a')).toMatchObject({ verdict: 'approved', by: 'ann' });
    expect(fate(river, 'a')?.shown).toBeUndefined();
  });

  it('shows an edited message as the room sees it, and keeps what was said', () => {
    const river = new River();
    river.hold(hold('a', 10));
    river.decide('a', 'approved', 'ann');
    for (const _ of [1, 2]) river.hear([message('a', 10, { text: 'kinder', edited: true })]);
    expect(river.find('a')).toMatchObject({ text: 'kinder', edited: true });
    expect(fate(river, 'a')).toMatchObject({ verdict: 'approved', said: 'held', hits: [] });
  });

  it('remembers who recalled, in whichever order it is told, and before the line is there', () => {
    const river = new River();
    river.hear([message('a', 1)]);
    river.recall(['a', 'b']);
    river.recall(['a', 'b'], 'ann');
    river.recall(['a']);
    river.refuse([refused('b', 2)]);
    river.hear([message('c', 3)]);
    expect([fate(river, 'a')?.recalledBy, fate(river, 'b')?.recalledBy, fate(river, 'c')?.recalledBy]).toEqual(['ann', 'ann', undefined]);
    river.recallOf(({ user }) => user === 'uc', 'bob');
    expect([fate(river, 'a')?.recalledBy, fate(river, 'c')?.recalledBy]).toEqual(['ann', 'bob']);
  });

  it('calls a user by the name he was seen under', () => {
    const river = new River();
    river.refuse([refused('a', 1, { user: 'eve' })]);
    river.hear([message('b', 2, { user: { id: 'eve', name: 'Eve', level: 0, badges: [] } })]);
    river.refuse([refused('c', 3, { user: 'eve' })]);
    expect(river.lines.map(({ name }) => name)).toEqual(['eve', 'Eve', 'Eve']);
  });

  it.each([
    [{ kind: 'gift', text: '', data: { gift: 'rose', name: '玫瑰', count: 3 } }, '玫瑰 ×3'],
    [{ kind: 'gift', text: '', data: 'broken' }, ''],
    [{ kind: 'event', text: '', event: 'score' }, 'score'],
    [{ kind: 'super', text: 'hi' }, 'hi'],
  ] as [Partial<Message>, string][])('says what %j says', (more, text) => {
    const river = new River();
    river.hear([message('a', 1, more)]);
    expect(river.lines[0]?.text).toBe(text);
  });

  it('keeps so many lines, the newest, and knows no others', () => {
    const river = new River(100);
    for (let at = 0; at < 1_000; at += 1) river.hear([message(String(at), at)]);
    expect(river.lines).toHaveLength(100);
    expect([ids(river)[0], ids(river).at(-1), river.total]).toEqual(['900', '999', 1_000]);
    expect(river.find('899')).toBeUndefined();
    river.refuse([refused('late', 5)]);
    expect(river.find('late')).toBeUndefined();
    expect(river.lines).toHaveLength(100);
  });

  it('cuts what no line can hold', () => {
    const river = new River();
    river.hear([message('a', 1, { text: 'x'.repeat(100_000), user: { id: 'u', name: 'n'.repeat(100_000), level: 0, badges: [] } })]);
    expect([river.lines[0]?.text.length, river.lines[0]?.name.length]).toEqual([1_001, 81]);
  });

  it('tells a row of its own change, and no other', () => {
    const river = new River();
    river.hear([message('a', 1), message('b', 2)]);
    const told: string[] = [];
    for (const { id, fate } of river.lines) fate.subscribe(({ verdict }) => void told.push(`${id} ${verdict}`));
    river.refuse([refused('b', 2)]);
    expect(told).toEqual(['a passed', 'b passed', 'b blocked']);
  });
});
