// Hostile texts and names, through the true door and from a server that lets everything in: they are text, and stay in their place.

import type { Page, WebSocketRoute } from 'playwright-core';
import { expect, inject } from 'vitest';
import { HUGE, isUnharmed, SHORT } from './hostile.js';
import { Caller, console, newRoom, Viewer } from './people.js';
import { DESKTOP, PHONE, test } from './visit.js';

test('what the door lets in is text on every page, as a name too', async ({ visit }) => {
  const room = newRoom();
  const moderator = await Caller.as(inject('url'), SHORT[0] ?? '', 'viewer,moderator,admin');
  const [viewer, overlay, desk] = await Promise.all([
    Viewer.enter(visit, room, 'Vic'),
    visit(`/overlay?room=${room}`),
    console(visit, room, moderator),
  ]);
  for (const text of SHORT) await (await Caller.as(inject('url'), text.slice(0, 40))).say(room, text);
  await viewer.rows().nth(SHORT.length - 1).waitFor();
  await viewer.rows('<script>ran=1</script>').first().waitFor();
  await overlay.locator('yt-live-chat-text-message-renderer').nth(SHORT.length - 1).waitFor();
  await desk.getByRole('option').nth(SHORT.length - 1).waitFor();
  const replay = await visit(`/replay?room=${room}`);
  await replay.locator('#page[data-state=playing]').waitFor();
  for (const page of [viewer.page, overlay, desk, replay]) await isUnharmed(page);
});

for (const [kind, viewport] of [
  ['desktop', DESKTOP],
  ['phone', PHONE],
] as const) {
  test(`a server that lets everything in breaks no page on a ${kind}`, async ({ visit }) => {
    const said = { viewport, before: (page: Page) => page.routeWebSocket(/\/live/, saysHuge) };
    const viewer = await visit('/?room=x', said);
    await viewer.locator('#list').click();
    await viewer.locator('#lines li').nth(HUGE.length).waitFor();
    await isUnharmed(viewer);
    const overlay = await visit('/overlay?room=x', said);
    await overlay.locator('yt-live-chat-paid-message-renderer').first().waitFor();
    await isUnharmed(overlay);
    const moderator = await Caller.as(inject('url'), 'Mo', 'viewer,moderator');
    const desk = await visit(`/console?room=x#token=${moderator.token}`, said);
    await desk.getByRole('option').first().waitFor();
    await isUnharmed(desk);
  });
}

test('a recording with hostile lines is text', async ({ visit }) => {
  const replay = await visit('/replay', { viewport: DESKTOP });
  const lines = HUGE.map((text, at) => JSON.stringify({ kind: 'chat', shown: at * 100, user: { name: text }, text }));
  const buffer = Buffer.from([JSON.stringify({ export: { room: HUGE[0], start: 0 } }), ...lines, '{"end":{}}'].join('\n'));
  await replay.locator('#file').setInputFiles({ name: 'said.ndjson', mimeType: 'application/x-ndjson', buffer });
  await replay.locator('#lines li').first().waitFor();
  await replay.locator('#play').click();
  expect(await replay.locator('#title').innerText()).toContain('<img');
  await isUnharmed(replay);
});

/** A server that greets, and says each hostile text as each kind of message. */
function saysHuge(socket: WebSocketRoute): void {
  const say = (frame: object) => socket.send(JSON.stringify(frame));
  const now = Date.now();
  const state = [
    { id: '1-0-1', at: now, kind: 'event', event: 'pin', text: HUGE.join(' ') },
    { id: '1-0-2', at: now, kind: 'event', event: 'score', data: { sides: HUGE.slice(0, 2).map((name) => ({ name, points: 1e20 })) } },
  ];
  const hello = { version: HUGE[0], connection: 'c', node: HUGE[0], room: 'x', now, ping_ms: 30_000, idle_ms: 75_000, online: 1 };
  say({ type: 'hello', ...hello, cursor: '1-0-3-3', state });
  const kinds = ['chat', 'gift', 'super', 'system'].flatMap((kind) => HUGE.map((text) => ({ kind, text })));
  const messages = kinds.map(({ kind, text }, at) => ({
    id: `1-0-${at + 3}`,
    at: now,
    user: { id: text.slice(0, 50), name: text, level: 1e300, badges: [text] },
    text,
    kind,
    position: ['scroll', 'top', 'bottom'][at % 3],
    color: text.slice(0, 7),
    data: { gift: text, name: text, count: 1e300, amount_minor: 5_000, currency: 'CNY', show_ms: 60_000 },
  }));
  say({ type: 'batch', cursor: `1-0-${messages.length + 3}-${messages.length + 3}`, messages });
}
