// The `test` of this folder: opens pages in contexts of their own, and lets no test pass during which a page broke its policy,
// threw, or opened a dialog.

import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { test as base, expect, inject } from 'vitest';

/** Where nothing depends on it: each pixel is drawn by two busy cores. */
const SMALL = { width: 640, height: 480 };
export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** What a wait within a test waits at most; on a quiet machine few take two seconds. */
export const SOON_MS = 45_000;

/** Opens a page of the shared program, or any other by its whole address, as somebody who was never there. */
export type Visit = (path: string, options?: BrowserContextOptions & { before?: (page: Page) => Promise<void> }) => Promise<Page>;

export const test = base.extend<{ browser: Browser; visit: Visit }>({
  browser: [
    async ({}, use) => {
      const browser = await chromium.connect(inject('browser'));
      await use(browser);
      await browser.close();
    },
    { scope: 'file' },
  ],
  visit: async ({ browser }, use) => {
    const troubles: string[] = [];
    const close: (() => Promise<void>)[] = [];
    await use(async (path, { before, ...options } = {}) => {
      const context = await browser.newContext({ viewport: SMALL, locale: 'en-GB', ...options });
      close.push(() => context.close());
      context.setDefaultTimeout(SOON_MS);
      const page = await context.newPage();
      await watch(page, path, troubles);
      await before?.(page);
      await page.goto(new URL(path, inject('url')).href);
      return page;
    });
    await Promise.all(close.map((end) => end()));
    expect(troubles).toEqual([]);
  },
});

async function watch(page: Page, path: string, troubles: string[]): Promise<void> {
  page.on('pageerror', (error) => troubles.push(`${path} threw ${error.message}`));
  page.on('dialog', (dialog) => {
    troubles.push(`${path} opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.exposeFunction('tellBreach', (what: string) => troubles.push(`${path} broke its policy: ${what}`));
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      window.tellBreach(`${violatedDirective} ${blockedURI} ${sample}`),
    );
  });
}

declare global {
  interface Window {
    tellBreach(what: string): void;
  }
}
