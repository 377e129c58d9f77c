// Watches the page for the bench: traces some seconds of each stretch, weighs its memory, and reads its books off the panel.

import type { Browser, CDPSession, Page } from 'playwright-core';
import { scriptPerFrame, type Slice } from './frames.js';

/** A whole trace of ten minutes would be 300 MB; five seconds of each stretch are 3,000 frames in all. */
const TRACED_MS = 5_000;
const STRETCHES = 10;
/** The hall's first flood, and as long again: memories are full, and the compilers have run. */
const WARM_UP_MS = 20_000;
/** All that fit: no viewer's page works harder. */
const TASTE = JSON.stringify({ density: 'all' });

export interface Watched {
  /** Milliseconds of the page's own script, for each traced frame. */
  frames: number[];
  framesPerS: number;
  /** MB after a collection, at the start and after each stretch. */
  heap: number[];
  nodes: number[];
  /** The page's books by their names. */
  books: Record<string, number>;
  lostOnTheWay: string;
}

export async function watch(page: Page, url: string, forMs: number, stop: () => void): Promise<Watched> {
  await page.addInitScript((taste) => localStorage.setItem('danmaku.taste', taste), TASTE);
  await page.goto(url);
  await page.locator('.line').first().waitFor();
  const browser = page.context().browser() as Browser;
  const session = await page.context().newCDPSession(page);
  await page.waitForTimeout(WARM_UP_MS);
  const seen: Watched = { frames: [], framesPerS: 0, heap: [], nodes: [], books: {}, lostOnTheWay: '' };
  await weigh(session, seen);
  const began = performance.now();
  const stretchMs = forMs / STRETCHES;
  for (let stretch = 1; stretch <= STRETCHES; stretch += 1) {
    await page.waitForTimeout(Math.max(0, began + stretch * stretchMs - TRACED_MS - performance.now()));
    seen.frames.push(...(await traced(browser, page, Math.min(TRACED_MS, stretchMs))));
    await weigh(session, seen);
    process.stderr.write(
      `${Math.round((performance.now() - began) / 1_000)} s: heap ${seen.heap.at(-1)?.toFixed(1)} MB, ${seen.nodes.at(-1)} nodes\n`,
    );
  }
  seen.framesPerS = (seen.frames.length * 1_000) / (STRETCHES * Math.min(TRACED_MS, stretchMs));
  stop();
  Object.assign(seen, await books(page));
  return seen;
}

async function traced(browser: Browser, page: Page, ms: number): Promise<number[]> {
  await browser.startTracing(page, { categories: ['devtools.timeline'] });
  await page.waitForTimeout(ms);
  const trace: { traceEvents: Slice[] } = JSON.parse(String(await browser.stopTracing()));
  return scriptPerFrame(trace.traceEvents);
}

async function weigh(session: CDPSession, seen: Watched): Promise<void> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes } = await session.send('Memory.getDOMCounters');
  seen.heap.push(usedSize / 1e6);
  seen.nodes.push(nodes);
}

/** As anybody reads them: opens the panel, once nothing waits any more. */
async function books(page: Page): Promise<Pick<Watched, 'books' | 'lostOnTheWay'>> {
  await page.locator('#taste').click();
  await page.locator('#books dd:last-child', { hasText: /^0$/ }).waitFor();
  const entries = await page.locator('#books').evaluate((list) => {
    const texts = (tag: string) => [...list.querySelectorAll(tag)].map((node) => node.textContent ?? '');
    const counts = texts('dd').map((text) => Number(text.replaceAll(',', '')));
    return texts('dt').map((name, at) => [name, counts[at] ?? NaN] as const);
  });
  return {
    books: Object.fromEntries(entries),
    lostOnTheWay: (await page.locator('#dropped > :last-child').textContent()) ?? '',
  };
}
