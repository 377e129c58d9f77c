// What each event does to the page, told to a page that only remembers.

import assert from 'node:assert/strict';
import { test } from 'vitest';
import type { Events, Message } from '@danmaku/client';
import { hear, type Heard, type Page } from '../src/hear.js';
import { Tally } from '../src/tally.js';
import { unwanted } from '../src/unwanted.js';
import { wordsFor } from '../src/words.js';
import { said } from './said.js';

const MODE = { slowMs: 0, levelMin: 0, followersMinS: 0, emoteOnly: false, emergency: false, delayMs: 0 };
const HELLO = {
  version: '',
  connection: '',
  node: '',
  room: '',
  user: undefined,
  expires: undefined,
  recovered: undefined,
  online: 7,
  mode: MODE,
  canSend: true,
};

function stage(taste = { words: [] as string[], people: [] }) {
  const shown: Record<string, string[]> = {};
  const calls: unknown[][] = [];
  const messages = new Map<string, Message>();
  const put = (part: string) => (message: Message) => {
    messages.set(message.id, message);
    (shown[part] ??= []).push(message.text);
  };
  const remove = (part: string) => (matches: (message: Message) => boolean) => {
    const gone = [...messages.values()].filter(matches).map(({ text }) => text);
    shown[part] = (shown[part] ?? []).filter((text) => !gone.includes(text));
  };
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const tally = new Tally();
  const page = {
    words: wordsFor(['en']),
    tally,
    status: {
      show: note('show'),
      people: note('people'),
      age: note('age'),
      lost: note('lost'),
      changed() {},
      rules: note('rules'),
    },
    hint: { dataset: {}, hidden: false },
    flight: { offer: put('flight'), remove: remove('flight') },
    gifts: { show: put('gifts'), remove: remove('gifts') },
    supers: { show: put('supers'), remove: remove('supers') },
    standing: {
      hear: (message: Message) => message.kind === 'event' && put('standing')(message),
      remove: remove('standing'),
    },
    history: { add: put('history'), remove: remove('history') },
    announcer: { offer: put('announcer'), remove: remove('announcer'), say: note('announce') },
    composer: { say: note('say'), allow: note('allow'), verdict: note('verdict') },
    watchOnly: () => false,
    isUnwanted: unwanted(taste),
  } as unknown as Page;
  const listeners = new Map<string, (event: never) => void>();
  const room = {
    sticky: [] as Message[],
    ageMs: () => 5,
    on: (name: string, listener: (event: never) => void) => (listeners.set(name, listener), () => {}),
  };
  hear(room as Heard, page);
  const tell = <Name extends keyof Events>(name: Name, event: Events[Name]) => listeners.get(name)?.(event as never);
  const told = (name: string) => calls.filter(([call]) => call === name).map(([, ...args]) => args);
  return { room, shown, tally, tell, told, page };
}

test('a message goes to the list and the stage, a replay to the list alone', () => {
  const { shown, tell, tally } = stage();
  tell('message', said('live'));
  tell('message', said('earlier', { replay: true }));
  assert.deepEqual([shown.history, shown.flight, shown.announcer], [['live', 'earlier'], ['live'], ['live']]);
  assert.deepEqual([tally.received, tally.fates.aside], [2, 1]);
});

test('a recall leaves no part of the page behind', () => {
  const { shown, tell } = stage();
  for (const kind of ['chat', 'gift', 'super', 'event'] as const)
    tell('message', said(`bad ${kind}`, { kind, by: 'v' }));
  tell('message', said('good'));
  tell('recall', { ids: [], user: 'v', through: '1-0-9', reason: undefined, matches: ({ user }) => user?.id === 'v' });
  const left = Object.fromEntries(Object.entries(shown).filter(([, texts]) => texts.length > 0));
  assert.deepEqual(left, { flight: ['good'], history: ['good'], announcer: ['good'] });
});

test('what a viewer does not want is counted and nowhere else', () => {
  const { shown, tell, tally } = stage({ words: ['bad'], people: [] });
  tell('message', said('a bad one'));
  assert.deepEqual([shown, tally.received, tally.fates.hidden], [{}, 1, 1]);
});

test('a folded gift counts as many as it stands for', () => {
  const { shown, tell, tally } = stage();
  tell('message', said('', { kind: 'gift', data: { gift: 'rose', count: 40, folded: 12 } }));
  assert.deepEqual([tally.received, tally.fates.aside, shown.gifts?.length], [12, 12, 1]);
});

test('what stands in a room is heard with the hello, and does not fly', () => {
  const { room, shown, tell, told } = stage();
  room.sticky = [said('2 : 1', { kind: 'event', event: 'score' })];
  tell('hello', { ...HELLO, mode: { ...MODE, delayMs: 2_000 } });
  assert.deepEqual([shown.standing, shown.flight, told('people')], [['2 : 1'], undefined, [[7, false]]]);
  assert.deepEqual(told('allow'), [[true, 'You may not write in this room']]);
});

test('a stopped page closes its box and says why', () => {
  const { tell, told } = stage();
  tell('state', { kind: 'stopped', code: 4503, reason: '' });
  assert.deepEqual(told('allow'), [[false, 'A moderator removed you from the room']]);
});

test('an error is said where there are words for it', () => {
  const { tell, told } = stage();
  tell('error', { code: 'bad_frame', message: '' });
  tell('error', { code: 'unauthorized', message: "the token is another user's" });
  tell('error', { code: 'rate_limited', message: '' });
  assert.deepEqual(told('say'), [['Too fast', 'bad']]);
});
