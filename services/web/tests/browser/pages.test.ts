// Every page as it is served and as it looks: its policy, what axe finds in dark and light, and pictures of it in `target/screens`.

import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, inject } from 'vitest';
import { Caller } from './people.js';
import { DESKTOP, PHONE, test, type Visit } from './visit.js';

const SCREENS = resolve(import.meta.dirname, '../../../../target/screens');

interface Looks {
  viewport: typeof PHONE;
  colorScheme: 'dark' | 'light';
}

/** How each picture comes about, in the room where the crowd talks. */
const PAGES: Record<string, (visit: Visit, looks: Looks) => Promise<Page>> = {
  viewer: async (visit, looks) => {
    const page = await visit('/?room=demo', looks);
    await page.locator('.line').nth(3).waitFor();
    return page;
  },
  'viewer-list': (visit, looks) => unfolded(visit, looks, '#list', '#history'),
  'viewer-settings': (visit, looks) => unfolded(visit, looks, '#taste', '#settings'),
  overlay: async (visit, looks) => {
    const page = await visit('/overlay?room=demo', looks);
    await page.locator('#message').nth(3).waitFor();
    return page;
  },
  'replay-ask': (visit, looks) => visit('/replay', looks),
  replay: async (visit, looks) => {
    const page = await visit('/replay?room=demo', looks);
    await page.locator('#page[data-state=playing]').waitFor();
    await page.locator('#play').click();
    return page;
  },
  'console-sign-in': (visit, looks) => visit('/console?room=demo', looks),
  'console-live': (visit, looks) => desk(visit, looks, '1', '[role=option]'),
  'console-words': (visit, looks) => desk(visit, looks, '2', '.entries [role=option]'),
  'console-people': (visit, looks) => desk(visit, looks, '3'),
  'console-numbers': (visit, looks) => desk(visit, looks, '4'),
  'console-log': (visit, looks) => desk(visit, looks, '5'),
  'console-nodes': (visit, looks) => desk(visit, looks, '6'),
};

test('every page comes under a policy that lets nothing inline run', async () => {
  for (const path of ['/', '/overlay', '/replay', '/console']) {
    const policy = (await fetch(inject('url') + path)).headers.get('content-security-policy') ?? '';
    expect(policy, path).toContain("default-src 'none'");
    expect(policy, path).not.toMatch(/unsafe|\*/);
  }
});

describe.each([
  ['desktop', 'dark', DESKTOP],
  ['desktop', 'light', DESKTOP],
  ['phone', 'dark', PHONE],
  ['phone', 'light', PHONE],
] as const)('on a %s, %s', (kind, colorScheme, viewport) => {
  // A page opened anew each time: not each of them follows a machine that turns dark under it.
  test.for(Object.entries(PAGES))('axe finds nothing serious: %s', async ([name, open], { visit }) => {
    const page = await open(visit, { viewport, colorScheme });
    await settle(page);
    await mkdir(SCREENS, { recursive: true });
    await page.screenshot({ path: resolve(SCREENS, `${name}-${kind}-${colorScheme}.png`) });
    expect(await serious(page)).toEqual([]);
  });
});

async function unfolded(visit: Visit, looks: Looks, button: string, panel: string): Promise<Page> {
  const page = await visit('/?room=demo', looks);
  await page.locator('.line').first().waitFor();
  await page.locator(button).click();
  await page.locator(panel).waitFor();
  return page;
}

async function desk(visit: Visit, looks: Looks, key: string, shows = 'main.screen'): Promise<Page> {
  const { token } = await Caller.as(inject('url'), 'Mo', 'viewer,moderator,admin');
  const page = await visit(`/console?room=demo#token=${token}`, looks);
  await page.locator('.lines.is-well').waitFor();
  await page.keyboard.press(key);
  await page.locator(shows).first().waitFor();
  return page;
}

/** Once colors that fade over are what they will be; what flies, or moves for ever, is passed over. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const lasts = (animation: Animation) => Number(animation.effect?.getComputedTiming().endTime ?? Infinity);
    const fading = document.getAnimations().filter((animation) => lasts(animation) < 1_000);
    await Promise.allSettled(fading.map((animation) => animation.finished));
  });
}

/** Findings as lines that say where and what. */
async function serious(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ['violations'] })) as AxeResults;
  const found = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return found.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`));
}
