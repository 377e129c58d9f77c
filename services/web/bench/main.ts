// `make bench-web`: the viewer page, as it is built, at 200 danmaku a second in Debian's Chromium; prints what a frame costs
// its script, whether memory stays flat, and the page's books beside the hall's.

import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { Hall } from './hall.js';
import { judged, report, type Figures } from './report.js';
import { watch } from './watch.js';

const USAGE = `usage: make bench-web ARGS="…"
  --minutes N    how long (10)
  --rate N       danmaku a second (200)
  --json         the figures as JSON
CHROMIUM names the browser (/usr/bin/chromium).`;

const { minutes, rate, json } = options();
const hall = await Hall.open(new URL(import.meta.env.PAGES, import.meta.url), rate);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--js-flags=--expose-gc'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  const said = await watch(page, `${hall.url}/?room=bench&lang=en`, minutes * 60_000, () => hall.stop());
  const figures: Figures = { ...said, minutes, rate, sent: hall.sent };
  console.log(json ? JSON.stringify(figures, null, 2) : report(figures));
  process.exitCode = judged(figures).every(({ ok }) => ok) ? 0 : 1;
} finally {
  await browser.close();
  hall.close();
}

function options(): { minutes: number; rate: number; json: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: '10' },
        rate: { type: 'string', default: '200' },
        json: { type: 'boolean', default: false },
      },
    });
    return { minutes: positive(values.minutes), rate: positive(values.rate), json: values.json };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exit(2);
  }
}

function positive(text: string): number {
  if (Number(text) > 0) return Number(text);
  throw new Error(`"${text}" is no positive number`);
}
