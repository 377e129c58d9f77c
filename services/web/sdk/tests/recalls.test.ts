// What a recall means, and what it keeps from coming back.

import { expect, test } from 'vitest';
import { Recalls } from '../src/recalls.js';

const by = (id: string, user?: string) => ({
  id,
  user: user ? { id: user, name: '', level: 0, badges: [] } : undefined,
});
const purge = (user: string, through?: string) => ({ ids: [], user, through });

test('a purge ends where it says: by generation, then by offset as a number', () => {
  const rows = [
    ['1-3-99', '1-3-100', true],
    ['1-3-100', '1-3-100', true],
    ['1-3-101', '1-3-100', false],
    ['1-3-900', '2-3-5', true],
    ['2-3-1', '1-3-900', false],
    ['1-3-101', undefined, true],
    ['1-3-101', 'of a later release', true],
    ['of a later release', '1-3-100', true],
  ] as const;
  for (const [id, through, isMeant] of rows) {
    const matches = new Recalls().add(purge('u', through), 0);
    expect([matches(by(id, 'u')), matches(by(id, 'another')), matches(by(id))], `${id} ${through}`).toEqual([
      isMeant,
      false,
      false,
    ]);
  }
});

test('what was taken back does not come back for a minute, and what is said later does', () => {
  const recalls = new Recalls();
  recalls.add({ ids: ['1-3-7'], user: undefined, through: undefined }, 0);
  recalls.add(purge('u', '1-3-100'), 0);
  recalls.add(purge('v'), 0);
  const rows = [
    [by('1-3-7', 'w'), 59_999, true],
    [by('1-3-7', 'w'), 60_000, false],
    [by('1-3-8', 'w'), 59_000, false],
    [by('1-3-50', 'u'), 59_000, true],
    [by('1-3-101', 'u'), 59_000, false],
    [by('of a later release', 'u'), 59_000, false],
    [by('1-3-50', 'v'), 59_000, false],
    [by('1-3-50'), 59_000, false],
    [by('1-3-50', 'u'), 61_000, false],
  ] as const;
  for (const [message, now, isGone] of rows)
    expect(recalls.has(message, now), JSON.stringify([message, now])).toBe(isGone);
});

test('ten full recalls are remembered, and memory is bounded', () => {
  const recalls = new Recalls();
  for (let part = 0; part < 11; part += 1)
    recalls.add(
      { ids: Array.from({ length: 200 }, (_, one) => `1-0-${part * 200 + one}`), user: undefined, through: undefined },
      0,
    );
  expect([recalls.has(by('1-0-199'), 1), recalls.has(by('1-0-200'), 1), recalls.has(by('1-0-2199'), 1)]).toEqual([
    false,
    true,
    true,
  ]);
});
