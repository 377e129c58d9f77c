// How the bench is built: a program for Node beside the pages that it measures.

import { resolve } from 'node:path';
import { defineConfig } from 'vite';

const here = import.meta.dirname;

export default defineConfig({
  root: here,
  logLevel: 'warn',
  define: { 'import.meta.env.PAGES': JSON.stringify(`file://${resolve(here, '../dist')}/`) },
  build: {
    ssr: true,
    target: 'node20',
    outDir: process.env.BENCH_WEB_OUT ?? 'dist',
    emptyOutDir: true,
    minify: false,
    rollupOptions: { input: { main: resolve(here, 'main.ts') } },
  },
});
