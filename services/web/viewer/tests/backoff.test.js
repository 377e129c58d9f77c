// Coming back: how long, with how much chance, and after which close codes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterMs, backoffMs, comesBack } from '../backoff.js';

test('full jitter reaches from zero to a doubling ceiling, capped at 30 s', () => {
  assert.equal(backoffMs(0, 0), 0);
  assert.deepEqual(
    [0, 1, 2, 3].map((attempt) => backoffMs(attempt, 1)),
    [800, 1_600, 3_200, 6_400],
  );
  assert.equal(backoffMs(6, 1), 30_000);
  assert.equal(backoffMs(5_000, 1), 30_000);
  assert.equal(backoffMs(6, 0.5), 15_000);
});

test('4500-4999 and protocol quarrels stop, everything else comes back', () => {
  for (const code of [1000, 1001, 1005, 1006, 1011, 1012, 1013, 4000, 4001, 4003, 4004, 4005, 4499]) {
    assert.equal(comesBack(code), true, code);
  }
  for (const code of [4500, 4501, 4502, 4503, 4504, 4505, 4506, 4999, 1002, 1007, 1009]) {
    assert.equal(comesBack(code), false, code);
  }
});

test('a close reason may name its own wait', () => {
  assert.equal(afterMs('node full, after_ms=2500'), 2500);
  assert.equal(afterMs('{"after_ms": 900}'), 900);
  assert.equal(afterMs('slow'), undefined);
  assert.equal(afterMs(undefined), undefined);
});
