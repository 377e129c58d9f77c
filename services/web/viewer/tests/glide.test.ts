// @vitest-environment happy-dom
// What we know better than the library, held against the very version that is installed.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test, vi } from 'vitest';
import Danmaku from 'danmaku/dist/esm/danmaku.dom.js';
import { Glide } from '../src/glide.js';

// The library takes its clock when it is loaded.
vi.hoisted(() => vi.useFakeTimers());

beforeEach(() => {
  for (const [name, value] of [
    ['offsetWidth', 1_000],
    ['offsetHeight', 300],
  ] as const)
    vi.spyOn(HTMLElement.prototype, name, 'get').mockReturnValue(value);
});
afterEach(() => {
  vi.clearAllTimers();
  vi.restoreAllMocks();
});

function glide() {
  const emit = vi.spyOn(Danmaku.prototype, 'emit');
  const element = document.createElement('div');
  const one = new Glide(element);
  one.fit(0.1);
  const send = (top: number, moves = true) => {
    const node = document.createElement('p');
    one.send({ node, moves, top, width: 100, height: 20 });
    vi.advanceTimersByTime(40);
    return node;
  };
  const place = (node: Element) =>
    /translate\(([\d.-]+)px, ?([\d.-]+)px\)/
      .exec((node.parentElement as HTMLElement).style.transform)
      ?.slice(1)
      .map(Number);
  return { one, element, send, place, kept: () => (emit.mock.contexts[0] as Danmaku).comments.length };
}

test('a line stands in our row, whatever the library would choose', () => {
  const { send, place } = glide();
  const nodes = [80, 80, 0].map((top) => send(top));
  assert.deepEqual(
    nodes.map((node) => place(node)?.[1]),
    [80, 80, 0],
  );
});

test('a line crosses as our lanes reckon: its width and the stage’s in the stage’s time', () => {
  const { one, send, place } = glide();
  assert.equal(one.crossMs, 10_000);
  const node = send(0);
  vi.advanceTimersByTime(4_960); // half of the way
  assert.ok(Math.abs((place(node)?.[0] ?? NaN) - (1_000 - 550)) < 4, String(place(node)));
  vi.advanceTimersByTime(5_100);
  assert.equal(node.isConnected, false);
});

test('what is held stands in the middle', () => {
  const { send, place } = glide();
  assert.deepEqual(place(send(20, false)), [450, 20]);
});

test('it keeps nothing of what it has shown', () => {
  const { send, kept } = glide();
  for (let i = 0; i < 100; i += 1) send(i % 10);
  assert.ok(kept() <= 2, `${kept()} kept`);
});

test('cleared, the stage is empty', () => {
  const { one, element, send } = glide();
  send(0);
  one.clear();
  assert.equal(element.querySelectorAll('p').length, 0);
});
