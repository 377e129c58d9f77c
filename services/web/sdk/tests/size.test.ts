// What a page pays: the client as it is built, zipped. The rarer wires and the panel are files of their own.

import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { build, type Rolldown } from 'vite';

const GZIP_MAX = 6 * 1024;

test('what index.js loads is at most 6 KB zipped', async () => {
  const root = resolve(import.meta.dirname, '..');
  const built = await build({
    configFile: resolve(root, 'vite.config.ts'),
    logLevel: 'silent',
    build: { write: false },
  });
  const chunks = [built]
    .flat()
    .flatMap((output) => ('output' in output ? output.output : [])) as Rolldown.OutputChunk[];
  const named = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const loaded = (name: string): string[] => [name, ...(named.get(name)?.imports.flatMap(loaded) ?? [])];
  const sizeOf = (name: string) => gzipSync(named.get(name)?.code ?? '', { level: 9 }).length;
  const core = loaded('index.js');
  const total = core.reduce((sum, name) => sum + sizeOf(name), 0);
  const rest = [...named.keys()].filter((name) => !core.includes(name)).map((name) => `${name} ${sizeOf(name)}`);
  console.log(
    `@danmaku/client: ${total} of ${GZIP_MAX} bytes zipped (${core.join(' + ')}); when asked for: ${rest.join(', ')}`,
  );
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThanOrEqual(GZIP_MAX);
}, 60_000);
