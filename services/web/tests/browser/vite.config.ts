// How the tests in a real browser run: one after the other, on one program and one browser that they share.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    globalSetup: 'shared.ts',
    fileParallelism: false,
    // Every wait within a test has a shorter deadline of its own, which says what it waited for.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
