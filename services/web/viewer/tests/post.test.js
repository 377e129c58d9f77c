// Sending: what the door's answers become, and that a repeat carries the same client_id.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { post } from '../post.js';

const pass = () => ({
  forgotten: 0,
  token: async () => 'jwt',
  forget() {
    this.forgotten += 1;
  },
});
const answer = (status, body, headers = {}) => ({ status, json: async () => body, headers: new Headers(headers) });

function door(answers) {
  const asked = [];
  let now = 0;
  let made = 0;
  const ask = async (url, options) => {
    asked.push({ url, ...JSON.parse(options.body), auth: options.headers.Authorization });
    const next = answers.length > 1 ? answers.shift() : answers[0];
    if (next instanceof Error) throw next;
    return next;
  };
  return { asked, ask, now: () => now, sleep: async (ms) => void (now += ms), id: () => `c${(made += 1)}` };
}

test('an accepted line brings its id', async () => {
  const tools = door([answer(202, { id: '1-0-9' })]);
  assert.deepEqual(await post('a b', pass(), { text: 'hi' }, tools), { ok: true, id: '1-0-9' });
  assert.deepEqual(tools.asked, [{ url: '/v1/rooms/a%20b/danmaku', text: 'hi', client_id: 'c1', auth: 'Bearer jwt' }]);
});

test('a refusal keeps its code and wait, from the body or from Retry-After', async () => {
  const body = door([answer(429, { code: 'rate_limited', retry_after_ms: 700 })]);
  const header = door([answer(429, { code: 'rate_limited' }, { 'Retry-After': '3' })]);
  assert.deepEqual(
    [(await post('r', pass(), {}, body)).waitMs, (await post('r', pass(), {}, header)).waitMs],
    [700, 3_000],
  );
  assert.equal(body.asked.length, 1);
});

test('unknown is asked again with the same client_id until it is known', async () => {
  const tools = door([answer(503, { code: 'unavailable' }), new TypeError('network'), answer(202, { id: 'x' })]);
  assert.equal((await post('r', pass(), { text: 'hi' }, tools)).ok, true);
  assert.deepEqual(
    tools.asked.map((one) => one.client_id),
    ['c1', 'c1', 'c1'],
  );
});

test('it stops asking at the server’s retry_until', async () => {
  const tools = door([answer(503, { code: 'unavailable', retry_after_ms: 1_000, retry_until: 5_000 })]);
  assert.equal((await post('r', pass(), {}, tools)).code, 'unavailable');
  assert.equal(tools.asked.length, 6);
});

test('a lagging judge is not unknown: one question, one answer', async () => {
  const tools = door([answer(503, { code: 'judge_behind', retry_after_ms: 2_000 })]);
  assert.equal((await post('r', pass(), {}, tools)).code, 'judge_behind');
  assert.equal(tools.asked.length, 1);
});

test('an old pass is renewed once', async () => {
  const tools = door([answer(401, { code: 'unauthorized' })]);
  const mine = pass();
  assert.equal((await post('r', mine, {}, tools)).code, 'unauthorized');
  assert.deepEqual([tools.asked.length, mine.forgotten], [2, 1]);
});
