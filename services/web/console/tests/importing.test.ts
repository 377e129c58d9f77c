// A file is checked before it is brought in: faults stop it, doubts want a word, and somebody else may have been faster.

import { describe, expect, it } from 'vitest';
import { Api } from '../api/api';
import { Client } from '../api/client';
import { Importing } from '../book/importing';
import { Shelf } from '../book/shelf';
import { Notes } from '../frame/notes';
import { en } from '../frame/words-en';

const none = { count: 0, first: [] };
const clean = { entries: 3, duplicates: none, one_character: none, contained: none, collides: none, too_broad: none };
const doubtful = { ...clean, one_character: { count: 1, first: [{ line: 2, text: 'x', with: '' }] } };
const stamp = (number: number) => ({ number, scope: 'global', author: 'ann', at_ms: 1, reason: '', entries: 3, published: 3, added: 3, removed: 0, changed: 0 });

/** Imports into a house that answers with these, one after the other. */
function importing(answers: [number, unknown][]) {
  const asked: Record<string, string>[] = [];
  const send: typeof fetch = async (url, init) => {
    if (init?.method === 'GET') return new Response(JSON.stringify({ version: stamp(41), lists: [] }));
    asked.push(Object.fromEntries(new URL(String(url), 'http://x').searchParams));
    const [status, body] = answers[asked.length - 1] ?? [500, {}];
    return new Response(JSON.stringify(body), { status });
  };
  const [api, notes] = [new Api(new Client(() => null, send)), new Notes()];
  const shelf = new Shelf(undefined, api, notes, () => en);
  return { asked, notes, shelf, it: new Importing(shelf, 'house', api, notes, () => en) };
}
const file = (name: string) => new File(['a\nx\nb\n'], name);

describe('an import', () => {
  it.each([['words.csv', 'csv'], ['words.CSV.gz', 'csv'], ['words.txt', 'txt'], ['words', 'txt']])('of %s is read as %s', (name, format) => {
    const { it } = importing([]);
    it.choose(file('first.csv'));
    it.choose(file(name));
    expect(it.how.value.format).toBe(format);
  });

  it('is checked, and brought in when there is no doubt', async () => {
    const { asked, notes, it } = importing([[200, { report: clean }], [200, { version: stamp(42), report: clean }]]);
    it.choose(file('words.txt'));
    await it.send({ dry_run: true });
    expect(it.told.value).toMatchObject({ tone: 'clean', head: '3 entries, no doubts.' });
    await it.send({ dry_run: false });
    expect([asked[0]?.dry_run, asked[1]?.dry_run, asked[1]?.force]).toEqual(['true', undefined, undefined]);
    expect([it.told.value, it.file.value, notes.shown.value[0]?.text]).toEqual([undefined, undefined, 'Saved as version 42']);
  });

  it('with doubts tells them, and goes on with force', async () => {
    const { asked, it } = importing([[422, { code: 'needs_force', message: 'm', report: doubtful }], [200, { version: stamp(42), report: doubtful }]]);
    it.choose(file('words.txt'));
    await it.send({ dry_run: false });
    expect(it.told.value).toMatchObject({ tone: 'doubtful', rows: [{ line: 2, what: 'one_character' }] });
    expect(it.file.value).toBeDefined();
    await it.send({ dry_run: false, force: true });
    expect(asked[1]?.force).toBe('true');
  });

  it('with faults tells each, and what is changed forgets them', async () => {
    const { it } = importing([[422, { code: 'invalid', message: 'm', problems: [{ line: 3, message: 'severity is a number' }] }]]);
    it.choose(file('words.csv'));
    await it.send({ dry_run: true });
    expect(it.told.value).toMatchObject({ tone: 'broken', head: '1 fault: nothing was written.', rows: [{ line: 3 }] });
    it.change({ replace: true });
    expect(it.told.value).toBeUndefined();
  });

  it('is told who was faster, and made again on the newer version', async () => {
    const { asked, shelf, it } = importing([[409, { code: 'stale_version', message: 'm', newest: stamp(44) }], [200, { version: stamp(45), report: clean }]]);
    await shelf.load();
    it.choose(file('words.txt'));
    await it.send({ dry_run: false });
    await shelf.stale.value?.again();
    expect(asked.map(({ base_version }) => base_version)).toEqual(['41', '44']);
  });

  it('does nothing without a file, and says what else went wrong', async () => {
    const { asked, notes, it } = importing([[413, { code: 'too_long', message: 'a body is at most 32 MiB here' }]]);
    await it.send({ dry_run: true });
    expect(asked).toEqual([]);
    it.choose(file('words.txt'));
    await it.send({ dry_run: true });
    expect([it.told.value, notes.shown.value[0]?.text, it.isBusy.value]).toEqual([undefined, 'a body is at most 32 MiB here', false]);
  });
});
