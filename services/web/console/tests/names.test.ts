// Entries are called by what they say, and nobody is asked for a list that is not there.

import { describe, expect, it } from 'vitest';
import { Api } from '../api/api';
import { Client } from '../api/client';
import { Names } from '../live/names';

const id = (digit: number) => `e00000000000000${digit}0`;

/** A service with one list for all rooms, one of this room, and numbers of another room's as well. */
function service() {
  const asked: string[] = [];
  const found = [{ entry: id(1), list: 'house' }, { entry: id(2), list: 'ours' }, { entry: id(3), list: 'theirs' }];
  const answer = ({ pathname, searchParams: said }: URL): unknown => {
    const list = said.get('room') === 'demo' ? 'ours' : 'house';
    if (pathname === '/v1/moderation/statistics') return { entries: found };
    if (pathname === '/v1/moderation/lists') return { lists: [{ name: list }] };
    if (pathname !== `/v1/moderation/lists/${list}/entries`) return undefined;
    return { entries: found.filter((one) => one.list === list).map(({ entry }) => ({ id: entry, text: `in ${list}` })) };
  };
  const send = async (address: string) => {
    const url = new URL(address, 'http://console');
    const told = answer(url);
    asked.push(`${told === undefined ? 404 : 200} ${url.pathname.slice('/v1/moderation/'.length)}`);
    return new Response(JSON.stringify(told ?? {}), { status: told === undefined ? 404 : 200 });
  };
  return { asked, send: send as unknown as typeof fetch };
}

describe('names of entries', () => {
  it('are asked for where their lists are, and nowhere else', async () => {
    const { asked, send } = service();
    const names = new Names(new Api(new Client(() => null, send)), 'demo', new Map());
    const told = [1, 2, 3].map((digit) => names.of(id(digit)));
    await expect.poll(() => told.map(({ value }) => value?.text)).toEqual(['in house', 'in ours', undefined]);
    expect(asked.sort()).toEqual(['200 lists', '200 lists', '200 lists/house/entries', '200 lists/ours/entries', '200 statistics']);
  });
});
