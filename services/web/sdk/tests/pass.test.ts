// Who is asked for a token, and when asking again can help.

import { expect, test } from 'vitest';
import { Pass } from '../src/pass.js';

test('a text is the token, and nobody can bring another', async () => {
  const pass = new Pass('t');
  expect([await pass.token(), pass.spoil(), pass.refuse()]).toEqual(['t', false, false]);
  expect(await new Pass(undefined).token()).toBeNull();
});

test('a used up token is asked for as a new one, once', async () => {
  const asked: boolean[] = [];
  const pass = new Pass(({ renew }) => (asked.push(renew), 't'));
  await pass.token();
  expect(pass.spoil()).toBe(true);
  await pass.token();
  await pass.token();
  expect(asked).toEqual([false, true, false]);
});

test('refused: one new token is worth a try, a second is not, until the server has taken one', async () => {
  const pass = new Pass(async () => 't');
  await pass.token();
  expect(pass.refuse()).toBe(true);
  await pass.token();
  expect(pass.refuse()).toBe(false);
  pass.good();
  expect(pass.refuse()).toBe(true);
});

test('what is no token is an error of who was asked', async () => {
  await expect(new Pass(() => 5 as unknown as string).token()).rejects.toThrow('no token');
  await expect(
    new Pass(() => {
      throw new Error('away');
    }).token(),
  ).rejects.toThrow('away');
});
