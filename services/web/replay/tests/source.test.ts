import { expect, test } from 'vitest';
import { exportUrl, fetchText, findToken, NoSource } from '../source';

const PAGE = 'http://live.example/replay?src=%2Fx';

test.each([
  [{ room: 'demo' }, '/v1/rooms/demo/export.ndjson'],
  [{ room: '弹 幕', from: 5, to: 9 }, '/v1/rooms/%E5%BC%B9%20%E5%B9%95/export.ndjson?from=5&to=9'],
])('%j is at %s', (asked, expected) => expect(exportUrl(asked)).toBe(expected));

const answers = (status: number, body: string) => () => Promise.resolve(new Response(body, { status }));

test.each([
  [401, '{"code":"unauthorized","message":"a bearer token is needed"}', 'unauthorized', 'a bearer token is needed'],
  [403, '{}', 'forbidden', ''],
  [429, '<html>', 'busy', ''],
  [422, '{"message":"too much"}', 'refused', 'too much'],
])('%d is told in a word', async (status, body, why, said) => {
  const failed = await fetchText('/x', undefined, answers(status, body), PAGE).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(NoSource);
  expect(failed).toMatchObject({ why, said });
});

test('a server that is away is told', async () => {
  await expect(fetchText('/x', 't', () => Promise.reject(new TypeError('no')), PAGE)).rejects.toMatchObject({ why: 'unreachable' });
});

test.each([
  ['/x', { authorization: 'Bearer t' }],
  ['http://live.example/v1/rooms/demo/export.ndjson', { authorization: 'Bearer t' }],
  ['https://live.example/x', {}],
  ['http://other.example/x', {}],
  ['//other.example/x', {}],
  ['data:text/plain,x', {}],
])('a token goes to this origin alone: %s', async (url, headers) => {
  const sent: RequestInit[] = [];
  const text = await fetchText(url, 't', (_, init) => (sent.push(init ?? {}), Promise.resolve(new Response('ok'))), PAGE);
  expect([text, sent[0]?.headers]).toEqual(['ok', headers]);
});

test('tokens: of the address, of the console, of the development door, none', async () => {
  const kept = (value: unknown) => ({ getItem: () => JSON.stringify(value) });
  const door = answers(200, '{"token":"dev"}');
  expect(await findToken('#token=abc', kept({ token: 'kept' }), door)).toBe('abc');
  expect(await findToken('', kept({ token: 'kept' }), door)).toBe('kept');
  expect(await findToken('', kept({ token: 'old', expires: 1 }), door)).toBe('dev');
  expect(await findToken('', undefined, answers(404, '{}'))).toBeUndefined();
  expect(await findToken('', undefined, answers(200, 'no json'))).toBeUndefined();
});
