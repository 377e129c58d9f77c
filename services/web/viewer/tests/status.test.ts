// @vitest-environment happy-dom
// The bar's figures in words that a reader can trust.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test, vi } from 'vitest';
import { piece } from '../src/dom.js';
import { Status, type StatusParts } from '../src/status.js';
import { Tally } from '../src/tally.js';
import { wordsFor } from '../src/words.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function build() {
  const names = ['bar', 'state', 'online', 'latency', 'received', 'dropped', 'skipped', 'mode', 'curtain', 'why'];
  const parts = Object.fromEntries(
    names.map((name) => [name, piece('span', '', piece('span', ''))]),
  ) as unknown as StatusParts;
  const tally = new Tally();
  const status = new Status(parts, wordsFor(['en']), tally);
  const text = (name: keyof StatusParts) => {
    vi.advanceTimersByTime(300);
    return parts[name].textContent;
  };
  return { parts, status, tally, text };
}

test('an unknown number of lost lines is not told as none', () => {
  const { status, text } = build();
  assert.equal(text('dropped'), '0');
  status.lost(0);
  assert.equal(text('dropped'), '0');
  status.lost(undefined);
  assert.equal(text('dropped'), '?');
  status.lost(12);
  assert.equal(text('dropped'), '12+');
});

test('a count of one node is marked as about', () => {
  const { status, text } = build();
  status.people(1_200, false);
  assert.equal(text('online'), '1,200');
  status.people(1_200, true);
  assert.equal(text('online'), '≈1,200');
});

test('lines that a full stage left out are a figure once there are any', () => {
  const { parts, status, tally, text } = build();
  assert.equal(parts.skipped.hidden, true);
  tally.end('dropped', 3);
  status.changed();
  assert.deepEqual([text('skipped'), parts.skipped.hidden], ['3', false]);
});

test('who waits sees the seconds, and who is stopped the reason', () => {
  const { parts, status } = build();
  status.show({ kind: 'waiting', until: Date.now() + 2_500, code: 1012, reason: '' });
  assert.deepEqual(
    [parts.state.textContent, parts.state.title, parts.curtain.hidden],
    ['Reconnecting in 3 s', 'The server is restarting', true],
  );
  status.show({ kind: 'stopped', code: 4503, reason: '' });
  assert.deepEqual([parts.why.textContent, parts.curtain.hidden], ['A moderator removed you from the room', false]);
});
