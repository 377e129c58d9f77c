// @vitest-environment happy-dom
// The box to write in: what it says of refusals and verdicts, and when it lets somebody send again.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test, vi } from 'vitest';
import type { Sent } from '@danmaku/client';
import { Composer, type ComposerParts } from '../src/composer.js';
import { wordsFor } from '../src/words.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ACCEPTED: Sent = { ok: true, id: '1-0-1', clientId: 'c', verdict: Promise.resolve(undefined) };
const refused = (code: string, retryAfterMs?: number): Sent => ({ ok: false, code, retryAfterMs, clientId: 'c' });

function box(answer: Sent | Promise<Sent>, slowMs = 0) {
  const parts = {
    form: document.createElement('form'),
    input: document.createElement('input'),
    send: document.createElement('button'),
    left: document.createElement('span'),
    note: document.createElement('p'),
  } satisfies ComposerParts;
  const said: unknown[] = [];
  const say = async (text: string, style: object) => {
    said.push([text, style]);
    return answer;
  };
  const composer = new Composer(
    parts,
    { name: 'Ann', style: { color: '#ff7a9c' }, mode: { slowMs }, say },
    wordsFor(['en']),
  );
  composer.allow(true, '');
  const submit = async (text: string) => {
    parts.input.value = text;
    parts.input.dispatchEvent(new Event('input'));
    parts.form.dispatchEvent(new Event('submit', { cancelable: true }));
    await vi.advanceTimersByTimeAsync(0);
  };
  return { ...parts, composer, submit, said };
}

test('an accepted line leaves the box, with its style', async () => {
  const { submit, input, said, note } = box(ACCEPTED);
  await submit('  666 ');
  assert.deepEqual([said, input.value, note.textContent], [[['666', { color: '#ff7a9c' }]], '', '']);
});

test('a refused line stays, and the seconds to wait are counted down', async () => {
  const { submit, input, note, send, said } = box(refused('rate_limited', 2_500));
  await submit('666');
  assert.deepEqual(
    [input.value, note.textContent, send.disabled, send.dataset.wait],
    ['666', 'Too fast. Again in 3 s', true, '3'],
  );
  await submit('666');
  assert.equal(said.length, 1, 'nothing is sent while it waits');
  await vi.advanceTimersByTimeAsync(1_000);
  assert.equal(note.textContent, 'Too fast. Again in 2 s');
  await vi.advanceTimersByTimeAsync(2_000);
  assert.deepEqual([note.textContent, send.disabled, send.dataset.wait], ['', false, '']);
});

test('in slow mode an accepted line starts the countdown', async () => {
  const { submit, note, send, input } = box(ACCEPTED, 5_000);
  await submit('666');
  input.value = 'more';
  assert.deepEqual([note.textContent, send.disabled], ['Slow mode: again in 5 s', true]);
  await vi.advanceTimersByTimeAsync(5_200);
  assert.deepEqual([note.textContent, send.disabled], ['', false]);
});

test('another word in between takes the place of the seconds, and he may send when they are over', async () => {
  const { submit, note, send, input, composer } = box(ACCEPTED, 5_000);
  await submit('666');
  input.value = 'more';
  await vi.advanceTimersByTimeAsync(1_000);
  composer.say('Welcome', 'notice');
  await vi.advanceTimersByTimeAsync(1_000);
  assert.deepEqual([note.textContent, send.disabled, send.dataset.wait], ['Welcome', true, '3']);
  await vi.advanceTimersByTimeAsync(3_200);
  assert.deepEqual([note.textContent, send.disabled, send.dataset.wait], ['Welcome', false, '']);
  await vi.advanceTimersByTimeAsync(2_000);
  assert.equal(note.textContent, '');
});

test('what the judge says afterwards is said in words', () => {
  const { composer, note } = box(ACCEPTED);
  const verdict = { clientId: 'c', id: '1', of: undefined, until: undefined, retryAfterMs: undefined };
  composer.verdict({ ...verdict, verdict: 'held', code: 'held' });
  assert.deepEqual([note.textContent, note.dataset.tone], ['Waiting for a moderator', 'quiet']);
  composer.verdict({ ...verdict, verdict: 'limited', code: 'mode_slow', retryAfterMs: 1_200 });
  assert.equal(note.textContent, 'Slow mode. Again in 2 s');
  composer.verdict({ ...verdict, verdict: 'passed', code: undefined });
  assert.equal(note.textContent, 'Slow mode. Again in 2 s');
});

test('a verdict that comes before the answer stays', async () => {
  let answer = (_: Sent) => {};
  const { submit, composer, note, input } = box(new Promise<Sent>((settle) => (answer = settle)));
  await submit('666');
  await vi.advanceTimersByTimeAsync(1_300);
  const verdict = { clientId: 'c', id: '1', of: undefined, until: undefined, retryAfterMs: undefined };
  composer.verdict({ ...verdict, verdict: 'held', code: 'held' });
  answer(ACCEPTED);
  await vi.advanceTimersByTimeAsync(0);
  assert.deepEqual([input.value, note.textContent], ['', 'Waiting for a moderator']);
});

test('who may not write is told why, and an answer that takes long is explained', async () => {
  const { composer, input, send, submit, note } = box(new Promise<Sent>(() => {}));
  await submit('666');
  await vi.advanceTimersByTimeAsync(1_300);
  assert.equal(note.textContent, 'Waiting for the server to confirm…');
  composer.allow(false, 'You may not write in this room');
  assert.deepEqual([input.disabled, send.disabled, input.placeholder], [true, true, 'You may not write in this room']);
});
