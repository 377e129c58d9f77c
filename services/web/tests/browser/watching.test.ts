// Two viewers, an overlay and somebody who speaks without a page: what is said is seen by all, once, until it is taken back.

import { expect, inject } from 'vitest';
import { Caller, newRoom, Viewer } from './people.js';
import { test } from './visit.js';

test('what one says all see once, and only he as his own', async ({ visit }) => {
  const room = newRoom();
  const [ann, vic, overlay] = await Promise.all([
    Viewer.enter(visit, room, 'Ann'),
    Viewer.enter(visit, room, 'Vic'),
    visit(`/overlay?room=${room}`),
  ]);
  await ann.say('said at a page');
  await ann.sees('said at a page');
  await (await Caller.as(inject('url'), 'Sam')).say(room, 'said without a page');
  for (const viewer of [ann, vic]) await viewer.sees('said at a page', 'said without a page');
  expect(await ann.rows().and(ann.page.locator('.is-own')).allInnerTexts()).toHaveLength(1);
  expect(await vic.rows().and(vic.page.locator('.is-own')).count()).toBe(0);
  expect(await ann.flying('said at a page').and(ann.page.locator('.is-own')).count()).toBe(1);
  await overlay.locator('#message', { hasText: 'said without a page' }).waitFor();
  expect(await overlay.locator('#message').allInnerTexts()).toEqual(['said at a page', 'said without a page']);
});

test('what is taken back leaves stage, list and overlay, and nothing else does', async ({ visit }) => {
  const room = newRoom();
  const [viewer, overlay, sam, moderator] = await Promise.all([
    Viewer.enter(visit, room, 'Vic'),
    visit(`/overlay?room=${room}`),
    Caller.as(inject('url'), 'Sam'),
    Caller.as(inject('url'), 'Mo', 'moderator'),
  ]);
  await sam.say(room, 'this stays');
  const id = await sam.say(room, 'this goes');
  await viewer.flying('this goes').waitFor();
  await overlay.locator('#message', { hasText: 'this goes' }).waitFor();
  await moderator.ask('POST', `/v1/moderation/rooms/${room}/recall`, { ids: [id] });
  await viewer.flying('this goes').waitFor({ state: 'detached' });
  // It was said earlier, so it would have left the stage first.
  expect(await viewer.flying('this stays').count()).toBe(1);
  await viewer.rows('this goes').waitFor({ state: 'detached' });
  expect(await viewer.rows('this stays').count()).toBe(1);
  await overlay.locator('#message', { hasText: 'this goes' }).waitFor({ state: 'detached' });
  expect(await overlay.locator('#message').allInnerTexts()).toEqual(['this stays']);
  const late = await Viewer.enter(visit, room, 'Lea');
  await late.sees('this stays');
  expect(await late.rows('this goes').count()).toBe(0);
});
