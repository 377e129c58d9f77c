// Who is asked for a token, and when asking again can help.

import { expect, test } from 'vitest';
import { pass } from '../src/pass.js';

test('a text is the token, and nobody can bring another', async () => {
  const one = pass('t');
  expect([await one.token(), one.spoil(), one.refuse()]).toEqual(['t', false, false]);
  expect(await pass(undefined).token()).toBeNull();
});

test('a used up token is asked for as a new one, once', async () => {
  const asked: boolean[] = [];
  const one = pass(({ renew }) => (asked.push(renew), 't'));
  await one.token();
  expect(one.spoil()).toBe(true);
  await one.token();
  await one.token();
  expect(asked).toEqual([false, true, false]);
});

test('refused: one new token is worth a try, a second is not, until the server has taken one', async () => {
  const one = pass(async () => 't');
  await one.token();
  expect(one.refuse()).toBe(true);
  await one.token();
  expect(one.refuse()).toBe(false);
  one.good();
  expect(one.refuse()).toBe(true);
});

test('what is no token is an error of who was asked', async () => {
  await expect(pass(() => 5 as unknown as string).token()).rejects.toThrow('no token');
  await expect(
    pass(() => {
      throw new Error('away');
    }).token(),
  ).rejects.toThrow('away');
});
