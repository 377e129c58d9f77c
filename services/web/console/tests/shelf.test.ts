// An edit is made on what was seen; who is second is told, and may make his edit on what is there now.

import { describe, expect, it } from 'vitest';
import { Api } from '../api/api';
import { Client } from '../api/client';
import type { Stamp } from '../api/shapes';
import { Shelf } from '../book/shelf';
import { Notes } from '../frame/notes';
import { en } from '../frame/words-en';

const stamp = (number: number): Stamp => ({ number, scope: 'global', author: 'ann', at_ms: 1, reason: '', entries: 1, published: 1, added: 1, removed: 0, changed: 0 });

const none = { count: 0, first: [] };
const report = { entries: 1, duplicates: none, one_character: none, contained: { count: 1, first: [] }, collides: none, too_broad: none };

/** A service with one list; somebody else may make a version at any time. */
function house() {
  const state = { version: 41, asked: [] as Record<string, unknown>[], doubts: false };
  const send: typeof fetch = async (url, init) => {
    const say = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });
    if (init?.method === 'GET') return say(200, { version: stamp(state.version), lists: [{ name: 'house', mode: 'enforce', comment: '', entries: 1 }] });
    const query = Object.fromEntries(new URL(String(url), 'http://x').searchParams);
    const said = { ...query, ...(JSON.parse(String(init?.body ?? '{}')) as Record<string, unknown>) };
    state.asked.push(said);
    if (Number(said.base_version) !== state.version) return say(409, { code: 'stale_version', message: 'm', newest: stamp(state.version) });
    if (state.doubts && !said.force) return say(422, { code: 'needs_force', message: 'm', report });
    state.version += 1;
    return say(200, String(url).includes('/entries') ? { version: stamp(state.version), report } : stamp(state.version));
  };
  const notes = new Notes();
  const shelf = new Shelf(undefined, new Api(new Client(() => null, send)), notes, () => en);
  return { state, shelf, notes };
}

describe('a shelf', () => {
  it('chooses the first list and edits what it has seen', async () => {
    const { state, shelf } = house();
    await shelf.load();
    expect([shelf.chosen.value, shelf.version.value?.number]).toEqual(['house', 41]);
    expect(await shelf.edit('house', { add: ['x'] })).toBe(true);
    expect(state.asked[0]).toMatchObject({ add: ['x'], base_version: 41 });
    expect([shelf.version.value?.number, shelf.edition.value]).toEqual([42, 1]);
  });

  it('tells who was faster, and makes the same edit on the newer version', async () => {
    const { state, shelf } = house();
    await shelf.load();
    state.version = 44;
    expect(await shelf.edit('house', { remove: ['x'] })).toBe(false);
    expect([shelf.stale.value?.seen, shelf.stale.value?.newest.number, shelf.edition.value]).toEqual([41, 44, 0]);
    await shelf.stale.value?.again();
    expect(state.asked[1]).toMatchObject({ remove: ['x'], base_version: 44 });
    expect(shelf.version.value?.number).toBe(45);
  });

  it('is told again when it is second twice', async () => {
    const { state, shelf } = house();
    await shelf.load();
    state.version = 44;
    await shelf.putList('house', 'observe');
    const first = shelf.stale.value;
    state.version = 50;
    await first?.again();
    expect(shelf.stale.value?.newest.number).toBe(50);
    await shelf.stale.value?.again();
    expect(shelf.version.value?.number).toBe(51);
  });

  it('tells what is doubtful about an edit that was made', async () => {
    const { shelf, notes } = house();
    await shelf.load();
    await shelf.edit('house', { add: ['x'] });
    expect(notes.shown.value.map(({ text }) => text)).toEqual(['1 entry, 1 doubt.', 'Saved as version 42']);
  });

  it('insists only when it is told to', async () => {
    const { state, shelf } = house();
    await shelf.load();
    state.doubts = true;
    expect(await shelf.edit('house', { add: ['x'] })).toBe(false);
    expect(shelf.doubtful.value?.refusal.report?.entries).toBe(1);
    await shelf.doubtful.value?.force();
    expect(state.asked[1]).toMatchObject({ add: ['x'], force: true, base_version: 41 });
    expect(shelf.doubtful.value).toBeUndefined();
  });
});
