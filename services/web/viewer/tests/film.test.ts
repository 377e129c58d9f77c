// The clock of a viewer's own picture.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { pictureOf } from '../src/film.js';

const seekable = { length: 1, start: () => 0, end: () => 60 };

test('a file is live from the moment it began, and a pause is kept', () => {
  const video = { currentTime: 4, duration: 60, seekable, currentSrc: 'https://here/clip.webm' };
  let now = 100_000;
  const picture = pictureOf(video, () => now);
  assert.ok(typeof picture === 'function');
  assert.equal(picture(), 100_000);
  now += 10_000;
  video.currentTime += 7; // three seconds of them paused
  assert.equal(picture(), 107_000);
});

test('a live stream tells its own time', () => {
  const video = { currentTime: 4, duration: Infinity, seekable, currentSrc: 'https://here/live.webm' };
  assert.equal(
    pictureOf(video, () => 0),
    video,
  );
});

test('a picked file without a length is a file', () => {
  const video = { currentTime: 4, duration: Infinity, seekable, currentSrc: 'blob:https://here/1' };
  assert.equal(typeof pictureOf(video, () => 0), 'function');
});
