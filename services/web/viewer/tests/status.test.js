// The bar's figures in words that a reader can trust.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Status } from '../status.js';
import { wordsFor } from '../words.js';

function build() {
  const part = () => ({ dataset: {}, lastElementChild: {} });
  const names = ['bar', 'state', 'online', 'latency', 'received', 'dropped', 'mode', 'curtain', 'why'];
  const parts = Object.fromEntries(names.map((name) => [name, part()]));
  return { parts, status: new Status(parts, wordsFor(['en'])) };
}

test('an unknown number of lost lines is not told as none', () => {
  const { parts, status } = build();
  const dropped = () => [parts.dropped.lastElementChild.textContent, parts.dropped.dataset.any];
  assert.deepEqual(dropped(), ['0', 'false']);
  status.lost(0);
  assert.deepEqual(dropped(), ['0', 'false']);
  status.lost(undefined);
  assert.deepEqual(dropped(), ['?', 'true']);
  status.lost(12);
  assert.deepEqual(dropped(), ['12+', 'true']);
});

test('a count of one node is marked as about', () => {
  const { parts, status } = build();
  const online = () => parts.online.lastElementChild.textContent;
  status.people(1_200);
  assert.equal(online(), '1,200');
  status.people(1_200, true);
  assert.equal(online(), '≈1,200');
});
