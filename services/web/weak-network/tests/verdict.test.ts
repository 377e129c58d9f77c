// When a session came through, and by what it failed.

import { expect, test } from 'vitest';
import { MESSAGES, type Plan } from '../schedule.js';
import { words, type Log } from '../session.js';
import { judge, type Failure, type Shown } from '../verdict.js';

const says = Array.from({ length: MESSAGES }, (_, turn) => 20_000 + 10_000 * turn);
const plan: Plan = { loginAt: 1_000, says, faults: [], closeAt: 300_000 };
const own: Shown[] = says.map((at, turn) => ({ id: `own${turn}`, text: words('me', turn), at: at + 100 }));
const theirs: Shown[] = [
  { id: 'early', text: 'before I came', at: 500 },
  { id: 'other', text: words('you', 3), at: 50_000 },
  { id: 'last', text: 'at the very end', at: 299_000 },
];
const room = [...own, ...theirs];
const must = [...own, ...theirs.slice(1, 2)];

const log = (change: Partial<Log> = {}): Log => ({
  name: 'me',
  kind: 'ours',
  network: 'any',
  room: 'any',
  closedAt: 300_000,
  lines: [{ up: 2_000 }],
  seen: must.map(({ id, at }) => ({ id, at: at + 200 })),
  ...change,
});

test('who says all and sees all once has come through', () => {
  expect(judge(log(), plan, room).failure).toBeUndefined();
});

const seen = log().seen;
const lines = (...lines: Log['lines']) => ({ lines });
test.each<[string, Partial<Log>, readonly Shown[], Failure | undefined]>([
  ['never came in', lines(), room, 'login'],
  ['came in after its first message was due', lines({ up: 20_001 }), room, 'login'],
  ['away for five seconds', lines({ up: 2_000, down: 100_000 }, { up: 105_000 }), room, undefined],
  ['away for longer', lines({ up: 2_000, down: 100_000 }, { up: 105_001 }), room, 'outage'],
  ['away once too long among many', lines({ up: 2_000, down: 50_000 }, { up: 60_000, down: 70_000 }, { up: 71_000 }), room, 'outage'],
  ['gone until the end', lines({ up: 2_000, down: 290_000 }), room, 'outage'],
  ['one of its own was not said', {}, room.slice(1), 'unsaid'],
  ['one of its own was not seen', { seen: seen.slice(1) }, room, 'missed'],
  ["another's was not seen", { seen: seen.filter(({ id }) => id !== 'other') }, room, 'missed'],
  ['saw one twice', { seen: [...seen, { id: 'other', at: 60_000 }] }, room, 'twice'],
  ['said one twice', { seen: [...seen, { id: 'again', at: 60_000 }] }, [...room, { id: 'again', text: words('me', 3), at: 60_000 }], 'twice'],
])('%s', (_, change, room, failure) => {
  expect(judge(log(change), plan, room).failure).toBe(failure);
});

test('its own last word counts, however late the room showed it', () => {
  const late = own.map((shown, turn) => (turn === MESSAGES - 1 ? { ...shown, at: 299_500 } : shown));
  expect(judge(log({ seen: seen.filter(({ id }) => id !== `own${MESSAGES - 1}`) }), plan, [...late, ...theirs]).failure).toBe('missed');
});

test('how late it saw what it saw, and how long it was away', () => {
  const { lateMs, awayMs } = judge(log(lines({ up: 2_000, down: 100_000 }, { up: 103_000 })), plan, room);
  expect(lateMs).toEqual(must.map(() => 200));
  expect(awayMs).toBe(3_000);
});
