// Rows and collisions as tables: no line may touch or overtake another in its row, whatever their speeds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lanes } from '../lanes.js';

const STAGE = 1000;
const fly = (lanes, now, width, speed, span = 1) => lanes.fly({ now, span, width, speed, from: STAGE });

test('a second line takes the next row while the first is still entering', () => {
  const lanes = new Lanes(3);
  assert.equal(fly(lanes, 0, 200, 0.1), 0);
  assert.equal(fly(lanes, 10, 200, 0.1), 1);
});

test('a row is free again once its tail and a gap are inside', () => {
  const lanes = new Lanes(1);
  fly(lanes, 0, 200, 0.1);
  assert.equal(fly(lanes, 2_000, 200, 0.1), -1);
  assert.equal(fly(lanes, 2_300, 200, 0.1), 0);
});

test('a faster line waits until it cannot catch the slower one', () => {
  const lanes = new Lanes(1);
  fly(lanes, 0, 200, 0.1); // gone at 12,000
  assert.equal(fly(lanes, 3_000, 400, 0.2), -1); // would reach the edge at 8,000
  assert.equal(fly(lanes, 7_000, 400, 0.2), 0);
});

test('no two lines of a row ever overlap, over ten thousand random lines', () => {
  const lanes = new Lanes(8);
  const random = seeded(7);
  const rows = Array.from({ length: 8 }, () => []);
  for (let now = 0; now < 500_000; now += 50) {
    const width = 40 + random() * 900;
    const speed = (STAGE + width) / (6_000 + random() * 4_000);
    const span = random() < 0.2 ? 2 : 1;
    const row = fly(lanes, now, width, speed, span);
    for (let at = row; row >= 0 && at < row + span; at += 1) rows[at].push({ now, width, speed });
  }
  assert.ok(rows.every((row) => row.length > 50));
  for (const row of rows) for (let i = 1; i < row.length; i += 1) assertApart(row[i - 1], row[i]);
});

function assertApart(before, after) {
  const gone = before.now + (STAGE + before.width) / before.speed;
  for (const now of [after.now, (after.now + gone) / 2, gone]) {
    if (now < after.now) continue;
    const tail = STAGE + before.width - before.speed * (now - before.now);
    const head = STAGE - after.speed * (now - after.now);
    assert.ok(head >= tail - 1e-6, `head ${head} before tail ${tail}`);
  }
}

test('a large line needs two neighbouring rows', () => {
  const lanes = new Lanes(2);
  fly(lanes, 0, 100, 0.1);
  assert.equal(fly(lanes, 10, 100, 0.1, 2), -1);
  assert.equal(fly(lanes, 2_000, 100, 0.1, 2), 0);
});

test('held lines fill a quarter from their edge, and flyers keep out of their rows', () => {
  const lanes = new Lanes(6);
  const hold = (now, bottom) => lanes.hold({ now, span: 1, until: now + 4_000, bottom });
  assert.deepEqual([hold(0, false), hold(0, false), hold(0, false)], [0, 1, -1]);
  assert.deepEqual([hold(0, true), hold(0, true), hold(0, true)], [5, 4, -1]);
  assert.equal(fly(lanes, 100, 50, 0.1), 2);
  assert.equal(hold(4_000, false), 0);
});

test('a held line prefers a row that nobody crosses', () => {
  const lanes = new Lanes(4);
  fly(lanes, 0, 100, 0.1);
  assert.equal(lanes.hold({ now: 1_000, span: 1, until: 5_000, bottom: false }), 1);
});

test('a resized stage remembers the rows that stay', () => {
  const lanes = new Lanes(1);
  fly(lanes, 0, 500, 0.1);
  lanes.resize(3);
  assert.equal(fly(lanes, 10, 100, 0.1), 1);
  lanes.resize(0);
  assert.equal(fly(lanes, 20, 100, 0.1), -1);
});

function seeded(state) {
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
