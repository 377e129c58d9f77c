// The server is killed and comes back at the same address, and leaves in good order: what a viewer sees of both.
// The embedded broker remembers nothing, so R5 can promise here only what was seen and what is said afterwards.

import { afterAll, beforeAll, expect } from 'vitest';
import { Viewer, newRoom } from './people.js';
import { Program } from './program.js';
import { DESKTOP, test, type Visit } from './visit.js';

const LIVE = 'yt-live-chat-renderer[data-state=live]';

let program: Program;

beforeAll(async () => {
  program = await Program.start(['--crowd', '0']);
});

afterAll(() => program.remove());

for (const [how, signal] of [
  ['killed', 'SIGKILL'],
  ['drained', 'SIGTERM'],
] as const) {
  test(`a server that is ${how} comes back: what was seen stays, what was said meanwhile arrives once`, async ({ visit }) => {
    const { ann, vic, overlay } = await audience(visit);
    await ann.say('before');
    for (const viewer of [ann, vic]) await viewer.sees('before');

    await program.end(signal);
    await ann.page.locator('#bar:not([data-state=live])').waitFor();
    await ann.say('meanwhile');
    program = await program.again();

    for (const viewer of [ann, vic]) await viewer.isLive();
    await overlay.locator(LIVE).waitFor();
    await vic.say('after');
    for (const viewer of [ann, vic]) await viewer.sees('before', 'meanwhile', 'after');
    // An overlay is more patient, and may come when what was said meanwhile is too old for a join (R1).
    await overlay.locator('#message', { hasText: 'after' }).waitFor();
    expect(await overlay.locator('#message', { hasText: 'before' }).count()).toBe(1);
    for (const viewer of [ann, vic]) expect(await viewer.page.locator('#curtain').isVisible(), 'no error covers the page').toBe(false);
  });
}

test('a moderator who came in by the development door is back after a restart, with what he was writing', async ({ visit }) => {
  const desk = await visit(`${program.url}/console?room=${newRoom()}`, { viewport: DESKTOP });
  await desk.getByRole('button', { name: /development/i }).click();
  await desk.locator('.lines.is-well').waitFor();
  await desk.keyboard.press('2');
  await desk.getByRole('button', { name: 'New entry' }).click();
  const text = desk.locator('form.editor').getByLabel('Text');
  await text.fill('half an entry');

  await program.end('SIGTERM');
  await desk.locator('.lines:not(.is-well)').waitFor();
  program = await program.again();

  // It has other keys now: the wire gets another token, and the moderators' stream comes with it.
  await desk.locator('.lines.is-well').waitFor();
  expect(await text.inputValue()).toBe('half an entry');
});

/** Two viewers and an overlay that was heard before. */
async function audience(visit: Visit) {
  const room = newRoom();
  const [ann, vic, overlay] = await Promise.all([
    Viewer.enter(visit, room, 'Ann', program.url),
    Viewer.enter(visit, room, 'Vic', program.url),
    visit(`${program.url}/overlay?room=${room}`),
  ]);
  await overlay.locator(LIVE).waitFor();
  return { ann, vic, overlay };
}
