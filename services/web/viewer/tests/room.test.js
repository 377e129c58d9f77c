// What each frame does to the page, told to a page that only remembers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Room } from '../room.js';
import { wordsFor } from '../words.js';

/** Calls of every part by name; `shown` holds what stage and list have now. */
function fakePage() {
  const calls = [];
  const note = (part, ...names) =>
    Object.fromEntries(names.map((name) => [name, (...args) => void calls.push([`${part}.${name}`, ...args])]));
  const shown = { stage: [], history: [], banners: [], announcer: [] };
  const part = (name, add) => ({
    [add]: (message) => void shown[name].push(message.id),
    markOwn: (id) => void calls.push([`${name}.markOwn`, id]),
    remove: (matches) => (shown[name] = shown[name].filter((id) => !matches(messages.get(id)))),
  });
  const messages = new Map();
  return {
    calls,
    shown,
    messages,
    said: (name) => calls.filter(([call]) => call === name).map(([, ...args]) => args),
    words: wordsFor(['en']),
    pass: { watchOnly: false },
    hint: { dataset: {} },
    status: note('status', 'people', 'rules', 'got', 'lost', 'age'),
    composer: note('composer', 'say', 'allow', 'verdict'),
    stage: part('stage', 'offer'),
    history: part('history', 'add'),
    banners: part('banners', 'show'),
    announcer: part('announcer', 'offer'),
    age: () => 5,
    reply: (frame) => calls.push(['reply', frame]),
  };
}

function hear(page, ...frames) {
  const room = new Room(page);
  for (const frame of frames) {
    for (const message of frame.messages ?? []) page.messages.set(message.id, message);
    room.hear(frame);
  }
  return page;
}

const line = (id, user = 'u', more = {}) => ({ id, at: 1, user: { id: user }, text: 'hi', ...more });
const batch = (...messages) => ({ type: 'batch', messages });

test('a gap without a number is heard as one', () => {
  const page = hear(fakePage(), { type: 'gap', cursor: 'c' }, { type: 'gap', dropped: 3 });
  assert.deepEqual(page.said('status.lost'), [[undefined], [3]]);
});

test('a recall by user takes what was said up to its end, and stays for what comes again', () => {
  const page = hear(
    fakePage(),
    batch(line('1-0-5'), line('1-0-6', 'v'), line('1-0-9')),
    { type: 'recall', user: 'u', through: '1-0-7' },
    { ...batch(line('1-0-4'), line('1-0-10')), replay: true },
  );
  assert.deepEqual(page.shown.history, ['1-0-6', '1-0-9', '1-0-10']);
  assert.deepEqual(page.shown.stage, ['1-0-6', '1-0-9']);
});

test('a private batch has no cursor and is shown as any other, once', () => {
  const page = hear(fakePage(), batch(line('1-0-5', 'me')), { ...batch(line('1-0-5', 'me')), cursor: 'c' });
  assert.deepEqual(page.shown.stage, ['1-0-5']);
  assert.equal(page.said('status.got').length, 1);
});

test('a folded gift counts as many as it stands for', () => {
  const gift = (id, data) => line(id, 'u', { kind: 'gift', data });
  const page = hear(
    fakePage(),
    batch(gift('1-0-1', { gift: 'rose', count: 1 }), gift('1-0-2', { gift: 'rose', count: 40, folded: 12 })),
  );
  assert.deepEqual(page.said('status.got'), [[1], [12]]);
  assert.deepEqual(page.shown.banners, ['1-0-1', '1-0-2']);
});

test('the people of one node only are said to be about so many', () => {
  const page = hear(
    fakePage(),
    { type: 'pong', online: 7 },
    { type: 'pong', online: 7, approximate: true },
    { type: 'pong' },
  );
  assert.deepEqual(page.said('status.people'), [
    [7, undefined],
    [7, true],
  ]);
});

test('what stands in a room is listed once, and does not fly', () => {
  const score = line('1-0-3', 'platform', { kind: 'event', event: 'score', text: '2 : 1' });
  const hello = { type: 'hello', state: [score], mode: { delay_ms: 2_000 } };
  const page = hear(fakePage(), hello, { ...batch(score), replay: true }, hello);
  assert.deepEqual([page.shown.history, page.shown.stage, page.shown.announcer], [['1-0-3'], [], []]);
  assert.deepEqual(page.said('status.rules')[0], [{ delay_ms: 2_000 }]);
});

test('a notice is answered each time and said once', () => {
  const notice = { type: 'notice', id: 'n', text: 'hello' };
  const page = hear(fakePage(), notice, notice);
  assert.equal(page.said('composer.say').length, 1);
  assert.deepEqual(page.said('reply'), [[{ type: 'ack', notice: 'n' }], [{ type: 'ack', notice: 'n' }]]);
});

test('a type of a later release is passed over, and so is one named like a method', () => {
  for (const type of ['a later one', 'toString', 'constructor'])
    assert.deepEqual(hear(fakePage(), { type }).calls, []);
});
