// @vitest-environment happy-dom
// The stage on a clock of its own: what flies, what is counted on it, what leaves; and that the books add up.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test, vi } from 'vitest';
import { Flight } from '../src/flight.js';
import { Tally } from '../src/tally.js';
import { USUAL, type Taste } from '../src/taste.js';
import { said } from './said.js';

const WIDTH = 1_280;

// The library takes its clock when it is loaded.
vi.hoisted(() => vi.useFakeTimers());

beforeEach(() => {
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({
    measureText: (text: string) => ({ width: text.length * 20 }),
  } as never);
  for (const [name, value] of [
    ['offsetWidth', WIDTH],
    ['clientWidth', WIDTH],
    ['offsetHeight', 400],
    ['clientHeight', 400],
  ] as const)
    vi.spyOn(HTMLElement.prototype, name, 'get').mockReturnValue(value);
  vi.stubGlobal('innerWidth', WIDTH);
  Element.prototype.animate ??= () => ({}) as Animation;
});
afterEach(() => {
  vi.clearAllTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function stage(taste: Partial<Taste> = {}) {
  const element = document.createElement('div');
  element.style.fontSize = '20px';
  document.body.append(element);
  const tally = new Tally();
  const flight = new Flight(element, { ...USUAL, ...taste }, tally);
  const lines = () =>
    [...element.querySelectorAll('.line')].map(
      (line) => line.textContent + (line.firstElementChild?.getAttribute('data-count') ?? ''),
    );
  const offer = (...args: Parameters<typeof said>) => {
    tally.come();
    flight.offer(said(...args));
  };
  const boxes = () => [...element.querySelectorAll('.line')].map((line) => line.parentElement?.style.transform ?? '');
  return { element, flight, tally, lines, offer, boxes };
}

const wait = (ms: number) => vi.advanceTimersByTime(ms);

test('lines take a row each while the one before is entering', () => {
  const { offer, lines, boxes } = stage();
  for (const text of ['one', 'two', 'three']) offer(text);
  wait(100);
  assert.deepEqual(lines(), ['one', 'two', 'three']);
  const rows = boxes().map((transform) => Number(/,\s*([\d.]+)px/.exec(transform)?.[1]));
  assert.deepEqual(
    rows.map((top) => Math.round(top * 10) / 10),
    [0, 30.4, 60.8],
  );
});

test('a line has left after its way, and its text may fly again', () => {
  const { offer, lines, tally } = stage();
  offer('666');
  wait(100);
  wait(12_000);
  assert.deepEqual(lines(), []);
  offer('666');
  wait(100);
  assert.deepEqual([lines(), tally.fates.shown, tally.fates.folded], [['666'], 2, 0]);
});

test('128 who say the same are one line with an exact number', () => {
  const { offer, lines, tally } = stage();
  for (let i = 0; i < 100; i += 1) offer(i % 2 ? '666' : '６６６６', { by: `u${i}` });
  wait(100);
  assert.deepEqual(lines(), ['６６６６×100']);
  for (let i = 0; i < 28; i += 1) offer('666');
  assert.deepEqual([lines(), tally.fates.shown, tally.fates.folded, tally.waiting], [['６６６６×128'], 1, 127, 0]);
});

test('nobody is counted on a line that is about to leave', () => {
  const { offer, lines } = stage();
  offer('666');
  wait(8_000); // of nine seconds
  offer('666');
  wait(200);
  assert.deepEqual(lines(), ['666', '666']);
  offer('666');
  assert.deepEqual(lines(), ['666', '666×2']);
});

test('who does not want numbers sees every line, and one’s own flies for itself', () => {
  const { offer, lines } = stage({ folds: false });
  offer('666');
  offer('666');
  wait(200);
  assert.deepEqual(lines(), ['666', '666']);
  const other = stage();
  other.offer('666');
  other.offer('666', { own: true });
  wait(200);
  assert.deepEqual(other.lines().length, 2);
  assert.equal(other.element.querySelectorAll('.is-own').length, 1);
});

test('a recall takes a line off the stage, and one voice out of a number', () => {
  const { flight, offer, lines, tally } = stage();
  offer('bad', { by: 'v' });
  offer('666', { by: 'v' });
  offer('666', { by: 'w' });
  wait(200);
  assert.deepEqual(lines(), ['bad', '666×2']);
  flight.remove(({ user }) => user?.id === 'v', 'recalled');
  wait(300);
  assert.ok(lines().includes('666'), 'the other one said it too');
  assert.deepEqual([tally.fates.shown, tally.fates.folded, tally.fates.recalled], [2, 1, 0]);
});

test('what is taken back while it waits is never seen', () => {
  const { flight, offer, lines, tally } = stage();
  for (let i = 0; i < 20; i += 1) offer(`line ${i}`);
  flight.remove(({ text }) => text === 'line 19', 'recalled');
  wait(3_000);
  assert.ok(!lines().includes('line 19'));
  assert.equal(tally.fates.recalled, 1);
});

test('beyond the density lines are dropped, counted, and the books add up', () => {
  const { offer, tally, lines } = stage({ density: 'few' });
  for (let i = 0; i < 400; i += 1) {
    offer(`${i} ${'x'.repeat(i % 30)}`, i % 50 ? {} : { position: 'top' });
    if (i % 4 === 0) wait(20);
  }
  assert.ok(lines().length <= 13, `${lines().length} lines on 13 rows`);
  wait(3_000);
  const { shown, dropped } = tally.fates;
  assert.equal(tally.waiting, 0);
  assert.equal(shown + dropped, 400);
  assert.ok(dropped > 200 && shown > 10, `${shown} shown`);
});

test('switched off, nothing flies and nothing is called dropped', () => {
  const { flight, offer, lines, tally } = stage();
  offer('one');
  wait(100);
  for (const text of ['1', '2', '3', 'waits']) offer(text);
  flight.fly(false);
  offer('two');
  wait(100);
  assert.deepEqual([lines(), tally.fates.dropped, tally.waiting], [[], 0, 0]);
  flight.fly(true);
  offer('waits');
  wait(100);
  assert.deepEqual([lines(), tally.waiting], [['waits'], 0]);
});

test('text is text, and no line is endless', () => {
  const { element, offer } = stage();
  for (const text of ['<img src=x onerror=alert(1)>', '\u202Eabc', `e${'\u0301'.repeat(1_000)}`, '长'.repeat(100_000)])
    offer(text);
  wait(200);
  assert.equal(element.querySelectorAll('img, script').length, 0);
  const texts = [...element.querySelectorAll('bdi')].map((node) => node.textContent);
  assert.equal(texts.length, 4);
  assert.equal(texts[0], '<img src=x onerror=alert(1)>');
  for (const text of texts) assert.ok(text.length <= 641, `${text.length}`);
});
