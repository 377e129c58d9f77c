// What one moderator does the other sees: a desk changes by what it hears.

import { describe, expect, it } from 'vitest';
import { Desk } from '../live/desk';
import type { Happening } from '../live/happenings';

function desk() {
  const clock = { now: 1_000 };
  const frames: (() => void)[] = [];
  const desk = new Desk('demo', () => clock.now, (draw) => void frames.push(draw));
  return { desk, clock, frames };
}
const held = (id: string): Happening => ({ kind: 'held', id, user: 'eve', name: 'Eve', text: `text ${id}`, code: 'held', rule: 'e1', deadline_ms: 61_000 });
const decided = (id: string, by: string, outcome = 'approved'): Happening => ({ kind: 'decided', id, outcome, by, reason: '', edited: false });
const sanction = (act: string, until_ms: number): Happening => ({ kind: 'sanction', act, subjects: ['user/eve'], until_ms, by: 'ann', reason: '' });

describe('a desk', () => {
  it('takes off what another moderator decided, and tells who it was', () => {
    const { desk: d } = desk();
    d.happens(held('a'));
    d.happens(held('b'));
    d.happens(decided('a', 'ann'));
    expect(d.waiting.value.map(({ id }) => id)).toEqual(['b']);
    expect(d.river.find('a')?.fate.value).toMatchObject({ verdict: 'approved', by: 'ann' });
    expect(d.deeds.value[0]).toMatchObject({ kind: 'decided', by: 'ann', about: 'text a', heard: 1_000 });
  });

  it('counts what ran out by itself instead of telling each', () => {
    const { desk: d } = desk();
    for (const id of ['a', 'b', 'c']) d.happens(decided(id, 'danmaku', 'rejected'));
    d.happens(decided('d', 'ann'));
    d.happens(decided('e', 'danmaku', 'rejected'));
    expect(d.deeds.value.map((deed) => [deed.kind === 'decided' && deed.by, deed.times])).toEqual([['danmaku', undefined], ['ann', undefined], ['danmaku', 3]]);
  });

  it('knows who is muted, and until when', () => {
    const { desk: d, clock } = desk();
    d.happens(sanction('mute', 5_000));
    expect(d.isMuted('eve')).toBe(true);
    clock.now = 5_000;
    expect(d.isMuted('eve')).toBe(false);
    d.happens(sanction('ban', 0));
    expect(d.isMuted('eve')).toBe(true);
    d.happens(sanction('unban', 0));
    expect(d.isMuted('eve')).toBe(false);
    expect(d.isMuted('bob')).toBe(false);
  });

  it('keeps a ban when the mutes are looked at again, or one of them ends', () => {
    const { desk: d } = desk();
    d.happens(sanction('ban', 0));
    d.mutes([]);
    expect(d.isMuted('eve')).toBe(true);
    d.happens(sanction('mute', 0));
    d.happens(sanction('unmute', 0));
    expect(d.isMuted('eve')).toBe(true);
    d.bans([]);
    expect(d.isMuted('eve')).toBe(false);
    d.bans([{ subject: 'user/eve', of: 'user/eve', broadcast: false, by: 'ann', at_ms: 1, reason: '' }]);
    expect(d.isMuted('eve')).toBe(true);
  });

  it('shows the mode that another one set', () => {
    const { desk: d } = desk();
    const mode = { slow_ms: 3_000, level_min: 0, followers_min_s: 0, emote_only: false, emergency: false, delay_ms: 0 };
    d.happens({ kind: 'mode', mode, ends_ms: 0, by: 'ann', reason: '' });
    expect(d.mode.value).toEqual({ mode, by: 'ann', at_ms: 1_000 });
    d.happens({ kind: 'mode', mode, ends_ms: 9_000, by: 'bob', reason: '' });
    expect(d.mode.value).toEqual({ mode, by: 'bob', at_ms: 1_000, ends_ms: 9_000 });
  });

  it('draws once in a while, however much is heard', () => {
    const { desk: d, frames } = desk();
    for (const id of ['a', 'b', 'c']) d.happens(held(id));
    expect([frames.length, d.flow.value]).toEqual([1, 0]);
    frames[0]?.();
    expect(d.flow.value).toBe(1);
    d.happens(held('d'));
    expect(frames).toHaveLength(2);
  });

  it('remembers a bounded past', () => {
    const { desk: d } = desk();
    for (let n = 0; n < 1_000; n += 1) d.happens(sanction('mute', n));
    expect(d.deeds.value).toHaveLength(300);
    expect(d.deeds.value[0]).toMatchObject({ until_ms: 999, number: 1_000 });
  });
});
