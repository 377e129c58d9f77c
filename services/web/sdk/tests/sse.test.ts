// Events out of text that comes in any pieces.

import { expect, test } from 'vitest';
import { FRAME_MAX } from '../src/line.js';
import { EventReader } from '../src/sse.js';

const STREAM =
  'event: batch\nid: 1-0-1-1\ndata: {"type":"batch"}\n\n:\n\ndata: one\ndata:two\n\nevent: pong\r\ndata: three\r\n\r\nid: only\n\n';
const EVENTS = ['{"type":"batch"}', 'one\ntwo', 'three'];

test('whole, byte by byte and in every two pieces: the same events', () => {
  expect(new EventReader().push(STREAM)).toEqual(EVENTS);
  const reader = new EventReader();
  expect([...STREAM].flatMap((piece) => reader.push(piece))).toEqual(EVENTS);
  for (let cut = 0; cut <= STREAM.length; cut += 1) {
    const two = new EventReader();
    expect([...two.push(STREAM.slice(0, cut)), ...two.push(STREAM.slice(cut))], `cut at ${cut}`).toEqual(EVENTS);
  }
});

test('an event above the limit is said to have been one, keeps no memory, and the next is read', () => {
  const reader = new EventReader();
  const piece = 'x'.repeat(2 ** 16);
  const told = reader.push('data: ');
  for (let sent = 0; sent < 2.5 * FRAME_MAX; sent += piece.length) told.push(...reader.push(piece));
  told.push(...reader.push('\n\ndata: after\n\n'));
  expect(told).toEqual([undefined, 'after']);
});
