// @vitest-environment happy-dom
// Super-chats, gifts and what stands over the stage: how long, how many, and that a recall takes them.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test, vi } from 'vitest';
import { piece } from '../src/dom.js';
import { Gifts } from '../src/gifts.js';
import { Standing } from '../src/standing.js';
import { Supers } from '../src/supers.js';
import { wordsFor } from '../src/words.js';
import { said } from './said.js';

beforeEach(() => {
  vi.useFakeTimers();
  Element.prototype.animate = () => ({}) as Animation;
});
afterEach(() => void vi.useRealTimers());

const words = wordsFor(['en']);
const texts = (node: Element) => [...node.children].map((child) => child.textContent);

function supers() {
  const [row, reader] = [piece('div', ''), piece('div', '')];
  row.hidden = reader.hidden = true;
  const show = (by: string, showMs: number, amount = 3_000) =>
    one.show(
      said(`says ${by}`, { by, kind: 'super', data: { amount_minor: amount, currency: 'CNY', show_ms: showMs } }),
    );
  const one = new Supers(row, reader, words);
  return { one, row, reader, show };
}

test('a super-chat stays as long as it was paid for, and opens for a while', () => {
  const { row, reader, show } = supers();
  show('a', 60_000);
  show('b', 10_000);
  assert.deepEqual([texts(row), reader.textContent], [['¥30.00b', '¥30.00a'], 'b¥30.00says b']);
  vi.advanceTimersByTime(7_000);
  assert.equal(reader.hidden, true);
  vi.advanceTimersByTime(3_000);
  assert.deepEqual(texts(row), ['¥30.00a']);
  (row.firstElementChild as HTMLElement).click();
  assert.deepEqual([reader.hidden, row.firstElementChild?.getAttribute('aria-expanded')], [false, 'true']);
  vi.advanceTimersByTime(50_000);
  assert.deepEqual([row.hidden, reader.hidden], [true, true]);
});

test('a recall closes a super-chat, and the row is bounded', () => {
  const { one, row, reader, show } = supers();
  for (let i = 0; i < 25; i += 1) show(`u${i}`, 60_000 + i);
  assert.deepEqual([row.children.length, texts(row).at(-1)], [20, '¥30.00u5']);
  one.remove(({ user }) => user?.id === 'u24');
  assert.deepEqual([row.children.length, reader.hidden], [19, true]);
});

test('the same gift of the same person counts up, and a recall takes its card', () => {
  const strip = piece('div', '');
  const gifts = new Gifts(strip, words);
  const give = (by: string, count: number) =>
    gifts.show(said('', { by, kind: 'gift', data: { gift: 'rose', name: 'rose', count } }));
  give('a', 2);
  give('b', 1);
  give('a', 1_000);
  assert.deepEqual(texts(strip), ['asent rose×1,002', 'bsent rose×1']);
  gifts.remove(({ user }) => user?.id === 'a');
  assert.deepEqual(texts(strip), ['bsent rose×1']);
  for (const by of ['c', 'd', 'e']) give(by, 1);
  assert.equal(strip.children.length, 3);
  vi.advanceTimersByTime(5_000);
  assert.equal(strip.children.length, 0);
});

test('a score and a pinned line stand until they are taken down', () => {
  const parts = {
    score: piece('div', ''),
    pin: piece('div', ''),
    text: piece('button', ''),
    close: piece('button', ''),
  };
  parts.score.hidden = parts.pin.hidden = true;
  const standing = new Standing(parts);
  const score = said('', {
    kind: 'event',
    event: 'score',
    data: {
      sides: [
        { name: 'A', points: 2 },
        { name: 'B', points: 1 },
      ],
    },
  });
  standing.hear(score);
  assert.deepEqual([parts.score.textContent, parts.score.hidden], ['A2 : 1B', false]);
  standing.hear(said('', { kind: 'event', event: 'score' }));
  assert.equal(parts.score.hidden, true);
  const pin = said('read this', { kind: 'event', event: 'pin' });
  standing.hear(pin);
  assert.deepEqual([parts.text.textContent, parts.pin.hidden], ['read this', false]);
  parts.close.click();
  standing.hear(pin);
  assert.equal(parts.pin.hidden, true, 'who closed it does not get it again');
  standing.hear(said('another', { kind: 'event', event: 'pin' }));
  assert.equal(parts.pin.hidden, false);
  standing.remove(({ text }) => text === 'another');
  assert.equal(parts.pin.hidden, true);
});
