// A lane holds so much and no more, keeps its order through holds and stalls, and is silent for good.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Lane, type Item } from '../lane.js';

const bytes = (length: number) => new Uint8Array(length);
let arrived: Item[];
let stallEnds: number;
let lane: Lane;

beforeEach(() => {
  vi.useFakeTimers();
  arrived = [];
  stallEnds = 0;
  lane = new Lane(100, () => stallEnds, (item) => arrived.push(item));
});
afterEach(() => vi.useRealTimers());

test('what goes in comes out later, the connection first', () => {
  lane.send('open');
  vi.advanceTimersByTime(50);
  lane.send(bytes(1));
  vi.advanceTimersByTime(50);
  expect(arrived).toEqual(['open']);
  vi.advanceTimersByTime(50);
  expect(arrived).toHaveLength(2);
});

test('it is full above 256 KiB, and says when there is room again', () => {
  let rooms = 0;
  lane.onRoom = () => rooms++;
  lane.send(bytes(256 * 1024));
  expect(lane.isFull).toBe(false);
  vi.advanceTimersByTime(50);
  lane.send(bytes(1));
  expect(lane.isFull).toBe(true);
  rooms = 0;
  vi.advanceTimersByTime(50);
  expect(lane.isFull).toBe(false);
  expect(rooms).toBeGreaterThan(0);
});

test('held, nothing arrives; let go, all that is due', () => {
  lane.send('open');
  lane.send('end');
  lane.hold();
  vi.advanceTimersByTime(1_000);
  expect(arrived).toEqual([]);
  lane.go();
  expect(arrived).toEqual(['open', 'end']);
});

test('a stall that begins on the way holds what is under way', () => {
  lane.send('end');
  vi.advanceTimersByTime(50);
  stallEnds = performance.now() + 500;
  vi.advanceTimersByTime(499);
  expect(arrived).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(arrived).toEqual(['end']);
});

test('silent, it swallows what is under way and what comes', () => {
  lane.send(bytes(10));
  lane.silence();
  lane.send('end');
  vi.advanceTimersByTime(1_000);
  expect(arrived).toEqual([]);
});
