// Which key does what where, and that no key does two things in one place.

import { describe, expect, it } from 'vitest';
import { actOf, cap, KEYS, keyFor, type Pressed, type Where } from '../frame/keys';

const press = (key: string, more: Partial<Pressed> = {}): Pressed => ({ key, ctrlKey: false, metaKey: false, altKey: false, repeat: false, ...more });

describe('keys', () => {
  const table: [Pressed, boolean, Where[], string | undefined][] = [
    [press('m'), false, ['live', 'line'], 'mute-1'],
    [press('M'), false, ['live', 'line'], 'mute-10'],
    [press('m'), false, ['live', 'held'], undefined],
    [press('m'), false, [], undefined],
    [press('a'), false, ['live', 'line'], 'allow'],
    [press('a'), false, ['live', 'line', 'held'], 'approve'],
    [press('a'), false, ['live', 'held'], 'approve'],
    [press('n'), false, ['book'], 'add'],
    [press('ArrowDown'), false, ['book'], 'down'],
    [press('ArrowDown'), true, ['book'], undefined],
    [press('n'), false, ['live'], undefined],
    [press('?'), false, [], 'help'],
    [press('?'), true, ['live'], undefined],
    [press('b'), true, ['live', 'line'], undefined],
    [press('Escape'), true, ['live'], 'leave'],
    [press('b', { ctrlKey: true }), false, ['live', 'line'], undefined],
    [press('r', { metaKey: true }), false, ['live', 'line'], undefined],
    [press('ArrowLeft', { altKey: true }), false, ['live'], undefined],
    [press('b', { repeat: true }), false, ['live', 'line'], undefined],
    [press('j', { repeat: true }), false, ['live'], 'down'],
    [press('ArrowUp', { repeat: true }), false, ['live'], 'up'],
    [press('q'), false, ['live', 'line', 'held'], undefined],
  ];
  it.each(table)('%j, writing %s, in %j', (pressed, isWriting, where, act) => expect(actOf(pressed, isWriting, where)).toBe(act));

  it('mean one thing in one place', () => {
    const places = KEYS.flatMap(({ keys, where }) => keys.map((key) => `${where} ${key}`));
    expect(new Set(places).size).toBe(places.length);
    const everywhere = KEYS.filter(({ where }) => where === 'anywhere').flatMap(({ keys }) => keys);
    const others = KEYS.filter(({ where }) => where !== 'anywhere').flatMap(({ keys }) => keys);
    expect(everywhere.filter((key) => others.includes(key))).toEqual([]);
  });

  it.each([['Escape', 'Esc'], ['ArrowDown', '↓'], ['M', '⇧M'], ['m', 'm'], ['?', '?'], ['End', 'End']])('%s is written %s', (key, written) => expect(cap(key)).toBe(written));

  it('are shown beside what they do', () => expect([keyFor('mute-10'), keyFor('now')]).toEqual(['⇧M', 'End']));
});
