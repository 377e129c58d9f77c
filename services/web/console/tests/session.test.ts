// A token is kept in this tab alone, shown by what it says of itself, and made anew by the development door.

import { describe, expect, it } from 'vitest';
import { claims, fromFragment, Session } from '../frame/session';

const jwt = (body: unknown) => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256' })}.${part(body)}.sig`;
};
function storage(): Storage {
  const kept = new Map<string, string>();
  return { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value), removeItem: (key: string) => void kept.delete(key) } as Storage;
}
const answers = (token: string) => async () => new Response(JSON.stringify({ token }));

describe('a token', () => {
  it('says who it is for', () => {
    const token = jwt({ sub: 'ann', name: '安', roles: ['moderator', 7], rooms: ['demo'], exp: 100 });
    expect(claims(` ${token}\n`)).toEqual({ token, id: 'ann', name: '安', roles: ['moderator'], rooms: ['demo'], expires: 100_000 });
    expect(claims(jwt({ sub: 'ann' }))).toMatchObject({ name: 'ann', roles: [] });
  });

  it.each(['', 'a.b.c', 'hello', jwt({ name: 'x' }), jwt(null), `${jwt({ sub: 'x' }).slice(0, 30)}`])('is none: %s', (text) => expect(claims(text)).toBeUndefined());

  it.each([['#token=a.b.c', 'a.b.c'], ['#room=x&token=t', 't'], ['#', undefined], ['', undefined], ['#x', undefined]])('stands in the fragment %s', (hash, token) => expect(fromFragment(hash)).toBe(token));
});

describe('a session', () => {
  it('is found again in its tab until it ends', () => {
    const kept = storage();
    const token = jwt({ sub: 'ann', exp: 100 });
    const first = new Session(kept, fetch, () => 0);
    first.restore(`#token=${token}`);
    const again = (now: number) => {
      const session = new Session(kept, fetch, () => now);
      session.restore('');
      return session.current();
    };
    expect([first.current(), again(99_999), again(100_000)]).toEqual([token, token, null]);
    first.leave();
    expect([first.current(), again(0)]).toEqual([null, null]);
  });

  it('lasts as long as the page where nothing can be kept', () => {
    const session = new Session(undefined, fetch, () => 0);
    expect(session.take(jwt({ sub: 'ann' }))).toBe(true);
    expect(session.known.value?.id).toBe('ann');
  });

  it('fetches another development token before the old one ends, and no other', async () => {
    const old = jwt({ sub: 'ann', exp: 100 });
    const next = jwt({ sub: 'ann2', exp: 4_000 });
    let now = 0;
    const asked: string[] = [];
    const send: typeof fetch = (url) => {
      asked.push(String(url));
      return answers(next)();
    };
    const session = new Session(storage(), send, () => now);
    session.take(old, { isDevelopment: true });
    expect(await session.token(false)).toBe(old);
    now = 50_000;
    expect(await session.token(false)).toBe(next);
    expect(asked).toEqual(['/dev/token?name=ann&roles=&user=ann']);
    const pasted = new Session(storage(), answers(next), () => now);
    pasted.take(old);
    expect(await pasted.token(true)).toBe(old);
    expect([await session.anew(), await pasted.anew()]).toEqual([true, false]);
  });

  it('says when there is no development door', async () => {
    const none = new Session(undefined, async () => new Response('', { status: 403 }));
    const away = new Session(undefined, () => Promise.reject(new Error('no')));
    expect([await none.develop('a', []), await away.develop('a', [])]).toEqual(['none', 'unreachable']);
  });
});
