// What a recall takes from the page, and what it keeps from coming back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recalls } from '../recalls.js';

const by = (user, id) => ({ id, user: { id: user } });

test('a purge ends where it says: by generation, then by offset as a number', () => {
  for (const [id, through, isMeant] of [
    ['1-3-99', '1-3-100', true],
    ['1-3-100', '1-3-100', true],
    ['1-3-101', '1-3-100', false],
    ['1-3-900', '2-3-5', true],
    ['2-3-1', '1-3-900', false],
    ['1-3-101', undefined, true],
    ['1-3-101', 'of a later release', true],
    ['of a later release', '1-3-100', true],
  ]) {
    const matches = new Recalls().add({ user: 'u', through }, 0);
    assert.equal(matches(by('u', id)), isMeant, `${id} ${through}`);
    assert.equal(matches(by('another', id)), false);
    assert.equal(matches({ id }), false, 'a message of nobody');
  }
});

test('what was taken back does not come back, what is said later does', () => {
  const recalls = new Recalls();
  recalls.add({ ids: ['1-3-7'] }, 0);
  recalls.add({ user: 'u', through: '1-3-100' }, 0);
  recalls.add({ user: 'v' }, 0);
  for (const [message, now, isKept] of [
    [by('w', '1-3-7'), 59_000, true],
    [by('w', '1-3-8'), 59_000, false],
    [by('u', '1-3-50'), 59_000, true],
    [by('u', '1-3-101'), 59_000, false],
    [by('u', 'of a later release'), 59_000, false],
    [by('v', '1-3-50'), 59_000, false],
    [{ id: '1-3-50' }, 59_000, false],
    [by('u', '1-3-50'), 61_000, false],
  ])
    assert.equal(recalls.has(message, now), isKept, JSON.stringify(message));
});
