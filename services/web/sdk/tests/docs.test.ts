// Every name that an application can use has an example in the reference.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const source = (name: string) => readFileSync(new URL(`../src/${name}.ts`, import.meta.url), 'utf8');

/** What is exported, or public in a class, and whether the comment above has an example. */
function names(name: string): [string, boolean][] {
  const found = source(name).matchAll(
    /(\/\*\*(?:(?!\*\/)[^])*\*\/\n)?(?:export (?:interface|type|class|function) (\w+)|^ {2}(?:get |async )?(\w+)(?:<[^\n]*>)?\([^\n]*\)(?:: [^\n]+)? \{$)/gm,
  );
  return [...found].map(([, comment = '', exported, member]) => [
    exported ?? member ?? '',
    comment.includes('@example'),
  ]);
}

test('each has one', () => {
  const all = ['types', 'env', 'listeners', 'room', 'panel'].flatMap(names);
  const inner = ['constructor', 'machine', 'Listeners', 'Listener'];
  const missing = all.filter(([name, hasOne]) => !hasOne && !inner.includes(name)).map(([name]) => name);
  expect(missing).toEqual([]);
  const known = all.map(([name]) => name);
  for (const name of [
    'Danmaku',
    'connect',
    'close',
    'reconnect',
    'send',
    'syncTo',
    'on',
    'history',
    'debug',
    'debugPanel',
    'Options',
    'Message',
    'Env',
  ])
    expect(known).toContain(name);
});
