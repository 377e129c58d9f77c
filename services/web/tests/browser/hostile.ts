// Texts and names that want to be more than text, and what must hold on a page that shows them.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Each sets `ran` on the page if it is taken for more than text. */
const MARKUP = [
  '<img src=x onerror="ran=1">',
  '<script>ran=1</script>',
  '"><svg/onload=ran=1>',
  "'-ran=1-'",
  '</title><iframe srcdoc="<script>parent.ran=1</script>">',
];

/** Short enough for the door. */
export const SHORT = [...MARKUP, '\u202etxet desrever\u202d', '\u2066\u2067\u2068nested', 'مرحبا بالعالم', 'e' + '\u0301'.repeat(20)];

/** What no door lets in; a client that trusts its server is wrong. */
export const HUGE = [
  ...SHORT,
  'e' + '\u0301'.repeat(1_000),
  'A'.repeat(100_000),
  '长'.repeat(34_000),
  '\u202e'.repeat(500) + 'text',
  '\ud800alone',
  'a\nb\r\nc\u0000d\u2028e',
  '👨‍👩‍👧‍👦'.repeat(200),
];

/** Nothing ran, nothing became an element, and nothing pushed the page out of its window. */
export async function isUnharmed(page: Page): Promise<void> {
  const found = await page.evaluate(() => ({
    ran: 'ran' in window,
    foreign: document.querySelectorAll('[onerror], [onload], iframe, body script:not([src]), img[src="x"]').length,
    wider: Math.max(0, document.documentElement.scrollWidth - innerWidth),
    higher: Math.max(0, document.documentElement.scrollHeight - innerHeight),
  }));
  expect(found).toEqual({ ran: false, foreign: 0, wider: 0, higher: 0 });
}
