// A plan is its seed's, keeps to its session's time, and befalls sessions as often as its network says.

import { expect, test } from 'vitest';
import { NETWORKS, type Network } from '../networks.js';
import { MESSAGES, plan } from '../schedule.js';
import { seeded } from '../random.js';

const LENGTH = 300_000;
const network = NETWORKS[1] as Network;
const plans = (count: number, of: Network = network) => Array.from({ length: count }, (_, index) => plan('seed', index, of, LENGTH));

test('the same seed is the same plan, another one is another', () => {
  expect(plan('7', 3, network, LENGTH)).toEqual(plan('7', 3, network, LENGTH));
  expect(plan('7', 3, network, LENGTH)).not.toEqual(plan('8', 3, network, LENGTH));
});

test('what befalls a session does not depend on what it says', () => {
  const longer = plan('7', 3, { ...network, stalls: 9 }, LENGTH);
  expect(longer.says).toEqual(plan('7', 3, network, LENGTH).says);
});

test.each([60_000, LENGTH])('in %d ms everybody comes in, says all of it in turn, and leaves', (lengthMs) => {
  for (let index = 0; index < 200; index++) {
    const { loginAt, says, faults, closeAt } = plan('seed', index, network, lengthMs);
    const turns = [loginAt, ...says, closeAt];
    expect(says).toHaveLength(MESSAGES);
    expect(turns).toEqual([...turns].sort((a, b) => a - b));
    expect(loginAt).toBeGreaterThanOrEqual(0);
    for (const { at } of faults) expect(at).toSatisfy((at: number) => at >= 20_000 && at <= lengthMs - 20_000);
  }
});

test.each(NETWORKS)('$lossPercent %: as many faults as it says, on average', (of) => {
  const count = 3_000;
  const faults = plans(count, of).flatMap(({ faults }) => faults);
  const mean = (kind: string) => faults.filter((fault) => fault.kind === kind).length / count;
  // Five standard deviations of a Poisson mean.
  const near = (mean: number) => 5 * Math.sqrt(mean / count);
  expect(Math.abs(mean('stall') - of.stalls)).toBeLessThan(near(of.stalls));
  expect(Math.abs(mean('silence') - of.silences)).toBeLessThan(near(of.silences));
  expect(Math.abs(mean('move') - of.moves)).toBeLessThan(near(of.moves));
});

test('a third is behind the gateway, and it restarts once for all of them', () => {
  const count = 3_000;
  const restarts = plans(count).map(({ faults }) => faults.filter(({ kind }) => kind === 'restart').map(({ at }) => at));
  const behind = restarts.filter((times) => times.length > 0);
  expect(new Set(behind.flat()).size).toBe(1);
  expect(behind.every((times) => times.length === 1)).toBe(true);
  expect(Math.abs(behind.length - count / 3)).toBeLessThan(5 * Math.sqrt((count * 2) / 9));
});

test('about half of all sessions meet nothing that ends a connection', () => {
  const spared = NETWORKS.flatMap((of) => plans(2_000, of)).filter(({ faults }) => faults.every(({ kind }) => kind === 'stall'));
  expect(spared.length / (2_000 * NETWORKS.length)).toBeCloseTo(0.48, 1);
});

test('chance fills its range evenly', () => {
  const random = seeded('even');
  const counts = new Array<number>(10).fill(0);
  for (let draw = 0; draw < 10_000; draw++) {
    const place = Math.floor(random() * 10);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(5 * Math.sqrt(900));
});
