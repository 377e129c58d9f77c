import { expect, test } from 'vitest';
import { Clock } from '../media';

function clockAt(duration: number) {
  const time = { ms: 1_000 };
  const clock = new Clock(duration, () => time.ms);
  const heard: string[] = [];
  for (const event of ['play', 'pause', 'seeking', 'ratechange']) clock.addEventListener(event, () => heard.push(event));
  return { clock, heard, pass: (ms: number) => (time.ms += ms) };
}

test('it stands, runs, runs faster, and stands where it was stopped', () => {
  const { clock, heard, pass } = clockAt(100);
  pass(5_000);
  expect([clock.paused, clock.currentTime]).toEqual([true, 0]);
  void clock.play();
  pass(2_000);
  expect(clock.currentTime).toBe(2);
  clock.playbackRate = 4;
  pass(1_000);
  expect(clock.currentTime).toBe(6);
  clock.pause();
  pass(9_000);
  expect([clock.paused, clock.currentTime]).toEqual([true, 6]);
  clock.currentTime = 50;
  void clock.play();
  pass(500);
  expect(clock.currentTime).toBe(52);
  expect(heard).toEqual(['play', 'ratechange', 'pause', 'seeking', 'play']);
});

test('it ends at its end, and begins anew from there', () => {
  const { clock, heard, pass } = clockAt(10);
  void clock.play();
  pass(60_000);
  expect(clock.currentTime).toBe(10);
  clock.pause();
  void clock.play();
  expect(clock.currentTime).toBe(0);
  expect(heard).toEqual(['play', 'pause', 'seeking', 'play']);
});

test.each([
  [-5, 0],
  [500, 10],
])('a seek to %d is one to %d', (to, expected) => {
  const { clock } = clockAt(10);
  clock.currentTime = to;
  expect(clock.currentTime).toBe(expected);
});
