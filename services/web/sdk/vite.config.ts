// How the package is built: the client, and the panel as an entry of its own. What few need becomes files that are loaded when asked for.

import { resolve } from 'node:path';
import { defineConfig } from 'vite';

const source = (name: string) => resolve(import.meta.dirname, 'src', `${name}.ts`);

export default defineConfig({
  root: import.meta.dirname,
  build: {
    lib: { entry: { index: source('index'), panel: source('panel') }, formats: ['es'] },
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    rolldownOptions: {
      // What the later files share with the client stays in the client: one file to load, and 400 bytes less of it.
      preserveEntrySignatures: 'allow-extension',
      // A number with a name costs only its name.
      optimization: { inlineConst: { mode: 'all', pass: 2 } },
      output: { minify: true, comments: false, entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
});
