// How the pages are built: each folder with an index.html is one page, and what they share is loaded once.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

const pages = ['viewer', 'console', 'overlay', 'replay'];
const entry = (page: string) => resolve(import.meta.dirname, page, 'index.html');

export default defineConfig({
  base: '/',
  resolve: {
    alias: [
      { find: /^@danmaku\/client$/, replacement: resolve(import.meta.dirname, 'sdk/src/index.ts') },
      { find: /^@danmaku\/client\/(.+)$/, replacement: resolve(import.meta.dirname, 'sdk/src/$1.ts') },
    ],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // The pages' policy forbids data: scripts and styles; small files stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: Object.fromEntries(pages.filter((page) => existsSync(entry(page))).map((page) => [page, entry(page)])) },
  },
  test: {
    // A shared machine is slow at times; nothing here waits for long by itself.
    testTimeout: 20_000,
    include: ['*/tests/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', 'tests/**'],
  },
});
