// How the rig is built: two programs for Node, with the SDK's own source in them.

import { resolve } from 'node:path';
import { defineConfig } from 'vite';

const here = import.meta.dirname;

export default defineConfig({
  root: here,
  logLevel: 'warn',
  resolve: { alias: { '@danmaku/client': resolve(here, '../sdk/src/index.ts') } },
  ssr: { noExternal: true },
  build: {
    ssr: true,
    target: 'node20',
    outDir: process.env.WEAK_NETWORK_OUT ?? 'dist',
    emptyOutDir: true,
    minify: false,
    rollupOptions: { input: { main: resolve(here, 'main.ts'), crowd: resolve(here, 'crowd.ts') } },
  },
});
