// What all tests share, begun before the first and ended after the last: a program with a small crowd in `demo`, and a browser.
// Tests that end a program start their own.

import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { Program } from './program.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the shared program is. */
    url: string;
    /** And its admin port. */
    admin: string;
    /** Where the shared browser listens. */
    browser: string;
  }
}

export default async function share(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launchServer({ executablePath, args: ['--no-sandbox'] });
  const program = await Program.start(['--crowd', '12']);
  await mustHoldPages(program.url);
  project.provide('url', program.url);
  project.provide('admin', program.admin);
  project.provide('browser', browser.wsEndpoint());
  return async () => {
    await browser.close();
    await program.remove();
  };
}

async function mustHoldPages(url: string): Promise<void> {
  const page = await (await fetch(url)).text();
  if (!page.includes('composer')) throw new Error('the program was built without the pages: scripts/web build, then build it again');
}
