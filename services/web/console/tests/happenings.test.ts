// What moderators hear is one of a few kinds, whole; anything else is passed over.

import { describe, expect, it } from 'vitest';
import { happening, userOf } from '../live/happenings';

const event = (kind: string, data: unknown) => ({ kind, id: '1', data: typeof data === 'string' ? data : JSON.stringify(data) });

describe('a happening', () => {
  it.each([
    ['decided', { room: 'demo', id: '1-0-2', outcome: 'approved', by: 'ann', reason: '', edited: false }],
    ['sanction', { act: 'mute', subjects: ['user/eve'], until_ms: 0, by: 'ann', reason: '' }],
    ['recall', { ids: ['1-0-2'], count: 1, by: 'ann', reason: '' }],
    ['gap', {}],
  ])('%s is told as it stands', (kind, body) => expect(happening(event(kind, body))).toEqual({ ...body, kind }));

  it.each([
    ['an unknown kind', 'party', {}],
    ['a kind that is every object’s', 'constructor', {}],
    ['broken JSON', 'held', '{"id":'],
    ['no object', 'gap', '7'],
    ['null', 'gap', 'null'],
    ['what it must say is missing', 'held', { id: '1-0-2', user: 'eve' }],
    ['another type', 'decided', { id: 7, outcome: 'approved', by: 'ann' }],
    ['null where a list is', 'sanction', { act: 'mute', subjects: null, by: 'ann' }],
  ])('%s is passed over', (_, kind, body) => expect(happening(event(kind, body))).toBeUndefined());

  it('says its own kind, whatever its body says', () => expect(happening(event('gap', { kind: 'held' }))).toEqual({ kind: 'gap' }));

  it.each([['user/eve', 'eve'], ['user/a/b', 'a/b'], ['device/x', undefined]])('%s names the user %s', (subject, user) => expect(userOf(subject)).toBe(user));
});
