// Rows and collisions as tables: no line may touch or overtake another in its row, whatever their widths.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { Lanes } from '../src/lanes.js';

const STAGE = 1_000;
const SPEED = 0.1; // the stage is crossed in 10 s
const lanesOf = (rows: number) => new Lanes(rows, { widthMax: STAGE, speed: SPEED });
const fly = (lanes: Lanes, now: number, width: number, span = 1) => lanes.fly({ now, span, width });

test('a second line takes the next row while the first is still entering', () => {
  const lanes = lanesOf(3);
  assert.equal(fly(lanes, 0, 200), 0);
  assert.equal(fly(lanes, 10, 200), 1);
});

test('a row is free again once its tail and a gap are inside', () => {
  const lanes = lanesOf(1);
  fly(lanes, 0, 200); // crosses 1,200 px in 10 s, so 212 px take 1,767 ms
  assert.equal(fly(lanes, 1_760, 200), -1);
  assert.equal(fly(lanes, 1_770, 200), 0);
});

test('a wider and so faster line waits until it cannot catch the one before', () => {
  const lanes = lanesOf(1);
  fly(lanes, 0, 100);
  // It needs 10 s × 1,000 / 2,000 to the far edge, where the first has left after 10 s.
  assert.equal(fly(lanes, 4_990, 1_000), -1);
  assert.equal(fly(lanes, 5_000, 1_000), 0);
});

interface Flown {
  now: number;
  width: number;
}

test('no two lines of a row ever overlap, over ten thousand random lines, on any stage up to the widest', () => {
  const lanes = lanesOf(8);
  const random = seeded(7);
  const rows: Flown[][] = Array.from({ length: 8 }, () => []);
  for (let now = 0; now < 500_000; now += 50) {
    const width = 40 + random() * 900;
    const span = random() < 0.2 ? 2 : 1;
    const row = fly(lanes, now, width, span);
    for (let at = row; row >= 0 && at < row + span; at += 1) rows[at]?.push({ now, width });
  }
  assert.ok(rows.every((row) => row.length > 50));
  for (const stage of [STAGE, 660, 320])
    for (const row of rows) row.slice(1).forEach((line, at) => assertApart(row[at] ?? line, line, stage));
});

function assertApart(before: Flown, after: Flown, stage: number): void {
  const cross = stage / SPEED;
  const x = (line: Flown, now: number) => stage - ((stage + line.width) * (now - line.now)) / cross;
  for (const now of [after.now, (after.now + before.now + cross) / 2, before.now + cross]) {
    if (now < after.now || now > before.now + cross) continue;
    const tail = x(before, now) + before.width;
    assert.ok(x(after, now) >= tail - 1e-6, `head ${x(after, now)} before tail ${tail} on ${stage}`);
  }
}

test('a large line needs two neighbouring rows', () => {
  const lanes = lanesOf(2);
  fly(lanes, 0, 100);
  assert.equal(fly(lanes, 10, 100, 2), -1);
  assert.equal(fly(lanes, 2_000, 100, 2), 0);
});

test('held lines fill a quarter from their edge, and flyers keep out of their rows', () => {
  const lanes = lanesOf(6);
  const hold = (now: number, bottom: boolean) => lanes.hold({ now, span: 1, until: now + 4_000, bottom });
  assert.deepEqual([hold(0, false), hold(0, false), hold(0, false)], [0, 1, -1]);
  assert.deepEqual([hold(0, true), hold(0, true), hold(0, true)], [5, 4, -1]);
  assert.equal(fly(lanes, 100, 50), 2);
  assert.equal(hold(4_000, false), 0);
});

test('a line is held where nobody crosses, or not at all; then its row is kept for the next one', () => {
  const lanes = lanesOf(4);
  const hold = (now: number) => lanes.hold({ now, span: 1, until: now + 4_000, bottom: false });
  fly(lanes, 0, 100);
  assert.equal(hold(1_000), 1);
  const busy = lanesOf(4);
  for (let row = 0; row < 4; row += 1) fly(busy, 0, 100);
  assert.equal(busy.hold({ now: 3_000, span: 1, until: 7_000, bottom: false }), -1);
  assert.equal(fly(busy, 3_000, 100), 1, 'the first row waits for a held line');
  assert.equal(busy.hold({ now: 10_000, span: 1, until: 14_000, bottom: false }), 0);
});

test('a resized stage remembers the rows that stay', () => {
  const lanes = lanesOf(1);
  fly(lanes, 0, 500);
  lanes.resize(3);
  assert.equal(fly(lanes, 10, 100), 1);
  lanes.resize(0);
  assert.equal(fly(lanes, 20, 100), -1);
});

function seeded(state: number): () => number {
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
