// @vitest-environment happy-dom
// The names that overlay style sheets address, each found on what the overlay draws.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { Chat } from '../src/chat.js';
import { authorTypeOf, faceOf } from '../src/items.js';
import { overlayWords } from '../src/words.js';
import { said } from '../../viewer/tests/said.js';
import skeleton from '../index.html?raw';

/** All that a style sheet for this chat may name. */
const SELECTORS = [
  'yt-live-chat-app yt-live-chat-renderer.style-scope.yt-live-chat-app',
  'yt-live-chat-renderer yt-live-chat-item-list-renderer',
  'yt-live-chat-item-list-renderer #item-scroller #item-offset #items',
  '#item-scroller.yt-live-chat-item-list-renderer.animated',
  '#items.yt-live-chat-item-list-renderer',
  'yt-live-chat-text-message-renderer',
  'yt-live-chat-text-message-renderer[author-type=""]',
  'yt-live-chat-text-message-renderer[author-type="owner"]',
  'yt-live-chat-text-message-renderer[author-type="moderator"]',
  'yt-live-chat-text-message-renderer[author-type="member"]',
  'yt-live-chat-text-message-renderer #author-photo img',
  'yt-img-shadow#author-photo.yt-live-chat-text-message-renderer #img',
  'yt-live-chat-text-message-renderer #content #timestamp',
  '#timestamp.yt-live-chat-text-message-renderer',
  'yt-live-chat-text-message-renderer yt-live-chat-author-chip #author-name',
  '#author-name.yt-live-chat-author-chip[type="owner"]',
  '#author-name.yt-live-chat-author-chip[type="moderator"]',
  '#author-name.yt-live-chat-author-chip[type="member"]',
  'yt-live-chat-author-chip #author-name #chip-badges',
  'yt-live-chat-author-chip #chat-badges yt-live-chat-author-badge-renderer',
  'yt-live-chat-author-badge-renderer[type="moderator"] #image yt-icon',
  'yt-live-chat-author-badge-renderer[type="member"]',
  'yt-live-chat-text-message-renderer #message',
  '#message.yt-live-chat-text-message-renderer',
  'yt-live-chat-text-message-renderer .el-badge .el-badge__content',
  'yt-live-chat-paid-message-renderer[allow-animations]',
  'yt-live-chat-paid-message-renderer[show-only-header]',
  'yt-live-chat-paid-message-renderer #card #header #header-content',
  'yt-live-chat-paid-message-renderer #header-content-primary-column #author-name',
  '#purchase-amount.yt-live-chat-paid-message-renderer',
  'yt-live-chat-paid-message-renderer #header #author-photo',
  'yt-live-chat-paid-message-renderer #timestamp',
  'yt-live-chat-paid-message-renderer #content #message',
  'yt-live-chat-viewer-engagement-message-renderer #card #message',
  'yt-live-chat-ticker-renderer #container #items',
  'yt-live-chat-ticker-paid-message-item-renderer #container #content #text',
  'yt-live-chat-ticker-paid-message-item-renderer #author-photo',
];

const words = overlayWords(['en']);
const find = (selector: string) => document.querySelector<HTMLElement>(selector) as HTMLElement;

beforeEach(() => {
  const body = /<body>([^]*)<\/body>/.exec(skeleton)?.[1] ?? '';
  document.body.replaceChildren(document.createRange().createContextualFragment(body));
});

function chat(folds = true): Chat {
  const parts = {
    items: find('#items.yt-live-chat-item-list-renderer'),
    scroller: find('#item-scroller'),
    ticker: find('yt-live-chat-ticker-renderer'),
    tickerItems: find('#items.yt-live-chat-ticker-renderer'),
  };
  return new Chat(parts, words, folds);
}

const user = (id: string, ...badges: string[]) => ({ id, name: `name of ${id}`, level: 1, badges });
const texts = () => [...document.querySelectorAll('#message')].map((node) => node.textContent);
const AMOUNT = { amount_minor: 3_000, currency: 'CNY', show_ms: 60_000 };

test('every name that a style sheet may address is there', () => {
  const shown = chat();
  for (const badge of ['owner', 'moderator', 'fan']) shown.add(said(badge, { user: user(badge, badge) }));
  shown.add(said('666'));
  shown.add(said('666'));
  shown.add(said('thanks', { kind: 'super', data: AMOUNT }));
  shown.add(said('', { kind: 'gift', data: { gift: 'rose', name: '玫瑰', count: 3 } }));
  shown.add(said('a word from the platform', { kind: 'system', user: undefined }));
  const absent = SELECTORS.filter((selector) => !document.querySelector(selector));
  assert.deepEqual(absent, []);
  assert.ok(SELECTORS.length >= 20);
});

test('what was taken back leaves the list, the row on top, and a number', () => {
  const shown = chat();
  shown.add(said('bad', { by: 'v' }));
  shown.add(said('bad super', { by: 'v', kind: 'super', data: AMOUNT }));
  for (const by of ['v', 'w', 'x']) shown.add(said('666', { by }));
  assert.equal(find('.el-badge__content').textContent, '×3');
  shown.remove((message) => message.user?.id === 'v');
  assert.deepEqual([texts(), find('.el-badge__content').textContent], [['666'], '×2']);
  assert.equal(find('yt-live-chat-ticker-renderer').hidden, true);
  shown.remove((message) => message.user?.id === 'w');
  assert.equal(document.querySelector('.el-badge'), null);
  shown.remove(() => true);
  assert.deepEqual([texts(), shown.wasHeard], [[], true]);
});

test('the list is bounded, and old items leave first', () => {
  const shown = chat(false);
  for (let i = 0; i < 80; i += 1) shown.add(said(`line ${i}`));
  assert.equal(texts().length, 66);
  assert.equal(texts().at(-1), 'line 79');
});

test('the highest badge says who somebody is', () => {
  const table: [string[], string][] = [
    [[], ''],
    [['fan'], 'member'],
    [['fan', 'moderator'], 'moderator'],
    [['moderator', 'streamer'], 'owner'],
    [['__proto__', 'constructor'], ''],
  ];
  for (const [badges, expected] of table) assert.equal(authorTypeOf(user('u', ...badges)), expected, badges.join());
  assert.equal(authorTypeOf(undefined), '');
});

test('no name or text becomes anything but text', () => {
  const hostile = '"><img src=x onerror=alert(1)>';
  const shown = chat();
  shown.add(said(hostile, { user: { ...user('u'), name: hostile } }));
  shown.add(said(hostile, { kind: 'super', data: { ...AMOUNT, currency: hostile } }));
  shown.add(said(hostile, { kind: 'gift', data: { gift: hostile, name: hostile } }));
  assert.equal(document.querySelectorAll('[onerror], script').length, 0);
  assert.ok([...document.querySelectorAll('img')].every((image) => image.src.startsWith('data:image/svg+xml,')));
  for (const name of ['<b', '&amp', '\ud800x', '', '\u202Ename'])
    assert.doesNotMatch(decodeURIComponent(faceOf('u', name)), /<b|&amp/);
});
