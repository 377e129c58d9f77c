// From what a server said to what an application may trust: each field of its kind, or its default. Pure.

import type { Kind, Position, Size } from './types.js';

/** Reads a value that may be anything. */
type Read<Value> = (value: unknown) => Value;

type Values = Record<string, unknown>;

const COLOR = /^#[0-9a-f]{6}$/i;

export const list: Read<unknown[]> = (value) => (Array.isArray(value) ? value : []);
export const text: Read<string> = (value) => (typeof value === 'string' ? value : '');
const word: Read<string | undefined> = (value) => text(value) || undefined;
const texts: Read<string[]> = (value) => list(value).filter(text) as string[];
export const number: Read<number | undefined> = (value) => (Number.isFinite(value) ? (value as number) : undefined);
const count: Read<number> = (value) => number(value) ?? 0;
export const flag: Read<boolean> = (value) => value === true;
const answer: Read<boolean | undefined> = (value) => (typeof value === 'boolean' ? value : undefined);
const color: Read<string | undefined> = (value) => (COLOR.test(text(value)) ? text(value) : undefined);
const anything: Read<unknown> = (value) => value;

/** One of some words, else the first. */
const oneOf =
  <Word>(...words: [Word, ...Word[]]): Read<Word> =>
  (value) =>
    words.find((one) => one === value) ?? words[0];

/** An object of these fields: `slowMs` is read from `slow_ms`. */
export function shape<Fields extends Record<string, Read<unknown>>>(
  fields: Fields,
): Read<{ [Name in keyof Fields]: ReturnType<Fields[Name]> }> {
  const rows = Object.entries(fields).map(
    ([name, read]) => [name, name.replace(/[A-Z]/g, '_$&').toLowerCase(), read] as const,
  );
  return (value) => {
    const values = typeof value === 'object' && value !== null ? (value as Values) : {};
    return Object.fromEntries(rows.map(([name, key, read]) => [name, read(values[key])])) as {
      [Name in keyof Fields]: ReturnType<Fields[Name]>;
    };
  };
}

/** Without an id it is nothing. */
const named =
  <Value extends { id: string }>(read: Read<Value>): Read<Value | undefined> =>
  (value) => {
    const found = read(value);
    return found.id ? found : undefined;
  };

/** How a message looks. */
export const style = {
  color,
  position: oneOf<Position>('scroll', 'top', 'bottom'),
  size: oneOf<Size>('normal', 'small', 'large'),
};

export const user = named(shape({ id: text, name: text, level: count, badges: texts }));

/** Whether it is a replay, or of this user, nobody says in it. */
export const message = named(
  shape({
    id: text,
    at: count,
    user,
    text,
    kind: oneOf<Kind>('chat', 'gift', 'super', 'system', 'event'),
    ...style,
    event: word,
    data: anything,
    edited: flag,
  }),
);

export const mode = shape({
  slowMs: count,
  levelMin: count,
  followersMinS: count,
  emoteOnly: flag,
  emergency: flag,
  delayMs: count,
});

export const hello = shape({
  version: text,
  connection: text,
  node: text,
  room: text,
  user,
  expires: number,
  recovered: answer,
  online: count,
  mode,
  canSend: flag,
});

export const verdict = shape({
  clientId: text,
  id: text,
  // Left out is the first of the words; what is none is not.
  verdict: (value: unknown = 'passed') => text(value) || 'unknown',
  code: word,
  of: word,
  until: number,
  retryAfterMs: number,
});
export const gap = shape({ dropped: number, reason: (value) => text(value) || 'unknown' });
export const recall = shape({ ids: texts, user: word, through: word, reason: word });
export const notice = named(shape({ id: text, text, data: anything }));
export const trouble = shape({ code: text, message: text });
export const pong = shape({ online: number, approximate: flag });
