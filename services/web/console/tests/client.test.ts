// Answers are values: what came, or why not, with all that is needed to make it a yes.

import { describe, expect, it } from 'vitest';
import { Client, path, read, withQuery } from '../api/client';

describe('an answer', () => {
  const newest = { number: 44, scope: 'global', author: 'ann', at_ms: 1, reason: '', entries: 1, published: 1, added: 1, removed: 0, changed: 0 };
  const table: [string, number, string, unknown][] = [
    ['is its body', 200, '{"a":1}', { ok: true, value: { a: 1 } }],
    ['may be empty', 204, '', { ok: true, value: {} }],
    ['tells who was faster', 409, JSON.stringify({ code: 'stale_version', message: 'm', newest }), { ok: false, refusal: { status: 409, code: 'stale_version', message: 'm', problems: [], newest } }],
    ['tells each fault', 422, '{"code":"invalid","message":"m","problems":[{"line":3,"message":"x"}]}', { ok: false, refusal: { status: 422, code: 'invalid', message: 'm', problems: [{ line: 3, message: 'x' }] } }],
    ['tells how long to wait', 429, '{"code":"rate_limited","message":"m","retry_after_ms":5000}', { ok: false, refusal: { status: 429, code: 'rate_limited', message: 'm', problems: [], retryAfterMs: 5000 } }],
    ['of a proxy is no JSON', 502, '<html>bad gateway', { ok: false, refusal: { status: 502, code: 'unreadable', message: '502: <html>bad gateway', problems: [] } }],
    ['may say nothing', 500, 'null', { ok: false, refusal: { status: 500, code: 'refused', message: 'the service answered 500', problems: [] } }],
  ];
  it.each(table)('%s', (_, status, text, answer) => expect(read(status, text)).toEqual(answer));

  it('is a refusal where nobody answers', async () => {
    const client = new Client(() => null, () => Promise.reject(new Error('refused')));
    expect(await client.ask('GET', '/x')).toEqual({ ok: false, refusal: { status: 0, code: 'unreachable', message: 'refused', problems: [] } });
  });
});

describe('a question', () => {
  it('leaves out what is not said', () => {
    expect(withQuery('/x', { room: undefined, find: '', replace: false, limit: 0 })).toBe('/x?limit=0');
    expect(withQuery('/x', { room: '弹 幕/&', after: 'e1' })).toBe('/x?room=%E5%BC%B9+%E5%B9%95%2F%26&after=e1');
    expect(withQuery('/x')).toBe('/x');
  });

  it('keeps a name in its place of the path', () => {
    expect(path`/v1/rooms/${'../a b?'}/mode`).toBe('/v1/rooms/..%2Fa%20b%3F/mode');
    expect(path`/v1/lists/${'x'}`).toBe('/v1/lists/x');
  });

  it('carries the token in a header, and never in the address', async () => {
    let asked: [string, RequestInit | undefined] | undefined;
    const client = new Client(() => 'secret', async (url, init) => ((asked = [String(url), init]), new Response('{}')));
    await client.ask('POST', '/x', { json: { a: 1 }, query: { room: 'r' } });
    const [url, init] = asked ?? ['', undefined];
    expect(url).toBe('/x?room=r');
    expect(new Headers(init?.headers).get('authorization')).toBe('Bearer secret');
    expect(init?.body).toBe('{"a":1}');
  });
});
