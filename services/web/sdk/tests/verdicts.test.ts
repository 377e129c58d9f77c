// The judge's word, or `passed` once the room has the message, whichever order they come in.

import { expect, test } from 'vitest';
import { verdict as read } from '../src/read.js';
import { Verdicts } from '../src/verdicts.js';

function waiting(isSeen = false) {
  const verdicts = new Verdicts();
  const words: (string | undefined)[] = [];
  verdicts.wait('1', 'c', isSeen, 0, (verdict) => words.push(verdict?.verdict));
  return { verdicts, words };
}
const masked = read({ id: '1', client_id: 'c', verdict: 'masked' });

test('seen in the room, and no word within a second: passed', () => {
  const { verdicts, words } = waiting();
  verdicts.look(30_000);
  verdicts.seen('1', 30_000);
  verdicts.look(30_999);
  expect(words).toEqual([]);
  verdicts.look(31_000);
  expect([words, verdicts.size]).toEqual([['passed'], 0]);
});

test('the room was quicker than the door', () => {
  const { verdicts, words } = waiting(true);
  verdicts.look(1_000);
  expect(words).toEqual(['passed']);
});

test('a word counts before and after the room has it, and only the first', () => {
  for (const isSeen of [true, false]) {
    const { verdicts, words } = waiting(isSeen);
    verdicts.said(masked, 0);
    verdicts.said(masked, 0);
    verdicts.look(90_000);
    expect(words).toEqual(['masked']);
  }
});

test('the judge was quicker than the door, by up to a minute', () => {
  for (const [now, word] of [
    [59_999, 'masked'],
    [60_000, undefined],
  ] as const) {
    const verdicts = new Verdicts();
    const words: (string | undefined)[] = [];
    verdicts.said(masked, 0);
    verdicts.wait('1', 'c', false, now, (verdict) => words.push(verdict?.verdict));
    verdicts.close();
    expect(words).toEqual([word]);
  }
});

test('nobody says anything for a minute, or the client closes: undefined', () => {
  const silent = waiting();
  silent.verdicts.look(60_000);
  const closed = waiting();
  closed.verdicts.close();
  const closedButSeen = waiting(true);
  closedButSeen.verdicts.close();
  expect([silent.words, closed.words, closedButSeen.words]).toEqual([[undefined], [undefined], ['passed']]);
});

test('memory is bounded: the oldest gives way', () => {
  const verdicts = new Verdicts();
  const ended: number[] = [];
  for (let one = 0; one < 70; one += 1) verdicts.wait(`${one}`, 'c', false, 0, () => ended.push(one));
  expect([ended, verdicts.size]).toEqual([[0, 1, 2, 3, 4, 5], 64]);
});
