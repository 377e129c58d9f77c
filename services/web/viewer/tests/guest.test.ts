// Passes: asked for once, renewed when told to, and none where the server gives none.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import { Guest, nameFor } from '../src/guest.js';

function guest(...statuses: number[]) {
  const asked: string[] = [];
  const ask = async (url: string) => {
    asked.push(url);
    const status = statuses[asked.length - 1] ?? 200;
    return Response.json({ token: `t${asked.length}`, expires: 3_600_000, user: { id: 'dev-1' } }, { status });
  };
  return { asked, guest: new Guest('小明 & co', ask) };
}

test('a pass is good until a minute before its end, or until it is said to be used up', async () => {
  const { asked, guest: one } = guest();
  assert.equal(await one.token({ renew: false }, 0), 't1');
  assert.equal(await one.token({ renew: false }, 3_000_000), 't1');
  assert.equal(await one.token({ renew: true }, 3_000_000), 't2');
  assert.equal(await one.token({ renew: false }, 3_590_000), 't3');
  const query = '/dev/token?name=%E5%B0%8F%E6%98%8E%20%26%20co';
  assert.deepEqual(asked, [query, `${query}&user=dev-1`, `${query}&user=dev-1`]);
});

test('without passes one watches; a server in trouble is no such answer', async () => {
  const { guest: one } = guest(403, 503, 200);
  assert.equal(await one.token({ renew: false }), null);
  assert.equal(one.watchOnly, true);
  await assert.rejects(one.token({ renew: false }));
  assert.equal(await one.token({ renew: false }), 't3');
  assert.equal(one.watchOnly, false);
});

test('a tab keeps its name, and lives with a drawer that is closed', () => {
  const kept = new Map<string, string>();
  const tab = {
    get: (name: string) => kept.get(name) ?? null,
    set: (name: string, value: string) => void kept.set(name, value),
  };
  const name = nameFor(tab, (number) => `Guest ${number}`);
  assert.match(name, /^Guest \d{4}$/);
  assert.equal(
    nameFor(tab, () => 'another'),
    name,
  );
  assert.equal(
    nameFor({ get: () => null, set() {} }, () => 'Guest'),
    'Guest',
  );
});
