// Moderators at the console, and what a viewer sees of what they do.

import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { Caller, console, newRoom, Viewer } from './people.js';
import { test, type Visit } from './visit.js';

test('who is banned at the console is told so on his page, and nobody else is', async ({ visit }) => {
  const room = newRoom();
  const [eve, vic, desk] = await Promise.all([Viewer.enter(visit, room, 'Eve'), Viewer.enter(visit, room, 'Vic'), deskOf(visit, room, 'Mo')]);
  await eve.say('something foul');
  await desk.getByRole('option', { name: 'something foul' }).click();
  await desk.keyboard.press('b');
  await eve.page.locator('#curtain').waitFor();
  expect(await eve.page.locator('#why').innerText()).toMatch(/moderator/);
  await vic.say('and on it goes');
  await vic.sees('something foul', 'and on it goes');
  expect(await vic.page.locator('#curtain').isVisible()).toBe(false);
});

test('a word that is put on a list at the console changes the next message', async ({ visit }) => {
  const room = newRoom();
  const moderator = await Caller.as(inject('url'), 'Mo', 'viewer,moderator');
  const [ann, vic, desk] = await Promise.all([
    Viewer.enter(visit, room, 'Ann'),
    Viewer.enter(visit, room, 'Vic'),
    console(visit, room, moderator),
  ]);
  await ann.say('a glimmerfrost for you');
  await vic.sees('a glimmerfrost for you');

  await blockAtDesk(desk, room, 'glimmerfrost');
  await moderator.isJudgedBy(room);
  await ann.say('one more glimmerfrost');
  await ann.page.locator('#note', { hasText: 'Not shown' }).waitFor();
  await vic.say('a fence behind it');
  await vic.sees('a fence behind it');
  expect(await vic.rows('glimmerfrost').count()).toBe(1);
});

/** As a moderator does it: a list of the room's own, put in force, with one entry. */
async function blockAtDesk(desk: Page, room: string, word: string): Promise<void> {
  await desk.keyboard.press('2');
  await desk.getByRole('group', { name: 'Book' }).getByRole('button', { name: room }).click();
  await desk.getByLabel('New list').fill('tonight');
  await desk.getByRole('button', { name: 'Begin a draft' }).click();
  await desk.locator('.stages').getByRole('button', { name: 'In force' }).click();
  await desk.locator('.stages .is-here.is-enforce').waitFor();
  await desk.getByRole('button', { name: 'New entry' }).click();
  const form = desk.locator('form.editor');
  await form.getByLabel('Text').fill(word);
  await form.getByLabel('Action').selectOption('block');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
}

test('what one moderator decides the other sees, and the room once', async ({ visit }) => {
  const room = newRoom();
  const [ada, sam] = await Promise.all([Caller.as(inject('url'), 'Ada', 'moderator'), Caller.as(inject('url'), 'Sam')]);
  await ada.ask('PUT', `/v1/moderation/lists/doubtful?room=${room}`, { mode: 'enforce' });
  const entries = { add: [{ text: 'perhapsly', action: 'hold' }] };
  await ada.ask('POST', `/v1/moderation/lists/doubtful/entries?room=${room}`, entries);
  await ada.isJudgedBy(room);
  const [vic, mo, kim] = await Promise.all([
    Viewer.enter(visit, room, 'Vic'),
    deskOf(visit, room, 'Mo'),
    deskOf(visit, room, 'Kim'),
  ]);
  await sam.say(room, 'perhapsly a joke');
  const waits = (desk: Page) => desk.locator('.held .card', { hasText: 'perhapsly a joke' });
  for (const desk of [mo, kim]) await waits(desk).waitFor();
  await waits(mo).getByRole('button', { name: 'Approve' }).click();
  for (const desk of [mo, kim]) await waits(desk).waitFor({ state: 'detached' });
  const deed = (desk: Page, who: RegExp) => desk.locator('.deeds li', { hasText: who }).filter({ hasText: 'perhapsly a joke' });
  await deed(mo, /you let through/).waitFor();
  await deed(kim, /dev-\w+ let through/).waitFor();
  await vic.sees('perhapsly a joke');
});

test('a moderator whose clock is wrong sees how long there is to decide', async ({ visit }) => {
  const room = newRoom();
  const [ada, sam] = await Promise.all([Caller.as(inject('url'), 'Ada', 'viewer,moderator'), Caller.as(inject('url'), 'Sam')]);
  await ada.ask('PUT', `/v1/moderation/lists/doubtful?room=${room}`, { mode: 'enforce' });
  await ada.ask('POST', `/v1/moderation/lists/doubtful/entries?room=${room}`, { add: [{ text: 'maybely', action: 'hold' }] });
  await ada.isJudgedBy(room);
  const desks = await Promise.all([-600_000, 600_000].map((ms) => deskOf(visit, room, `Mo ${ms}`, (page) => wrongBy(page, ms))));
  await sam.say(room, 'maybely a joke');
  for (const desk of desks) await desk.locator('.held .card', { hasText: 'maybely a joke' }).filter({ hasText: /(^|\D)[1-5]?\d s/ }).waitFor();
});

/** A clock that stands beside the others. */
async function wrongBy(page: Page, ms: number): Promise<void> {
  await page.addInitScript((ms) => {
    const right = Date.now;
    Date.now = () => right() + ms;
  }, ms);
}

const deskOf = async (visit: Visit, room: string, name: string, before?: (page: Page) => Promise<void>): Promise<Page> =>
  console(visit, room, await Caller.as(inject('url'), name, 'viewer,moderator,admin'), before);
