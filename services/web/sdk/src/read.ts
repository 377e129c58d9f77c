// From what a server said to what an application may trust: each field of the kind that its type names, or its default. Pure.

import type { Frame } from './line.js';
import type { Hello, Kind, Message, Mode, Position, Size, User, Verdict } from './types.js';

type Values = Record<string, unknown>;

const KINDS: readonly Kind[] = ['chat', 'gift', 'super', 'system', 'event'];
const POSITIONS: readonly Position[] = ['scroll', 'top', 'bottom'];
const SIZES: readonly Size[] = ['normal', 'small', 'large'];

const COLOR = /^#[0-9a-f]{6}$/i;

export const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const word = (value: unknown): string | undefined => text(value) || undefined;
export const number = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
export const texts = (value: unknown): string[] => list(value).filter((one) => typeof one === 'string');
const oneOf = <Word>(words: readonly Word[], value: unknown, otherwise: Word): Word => words.find((one) => one === value) ?? otherwise;

export function user(value: unknown): User | undefined {
  if (!isObject(value) || !text(value['id'])) return undefined;
  return { id: text(value['id']), name: text(value['name']), level: number(value['level']) ?? 0, badges: texts(value['badges']) };
}

/** A message, or undefined for what has no id. */
export function message(value: unknown, replay: boolean): Message | undefined {
  if (!isObject(value) || !text(value['id'])) return undefined;
  return {
    id: text(value['id']),
    at: number(value['at']) ?? 0,
    user: user(value['user']),
    text: text(value['text']),
    kind: oneOf(KINDS, value['kind'], 'chat'),
    color: COLOR.test(text(value['color'])) ? text(value['color']) : undefined,
    position: oneOf(POSITIONS, value['position'], 'scroll'),
    size: oneOf(SIZES, value['size'], 'normal'),
    event: word(value['event']),
    data: value['data'],
    edited: value['edited'] === true,
    replay,
    own: false,
  };
}

export function mode(value: unknown): Mode {
  const values = isObject(value) ? value : {};
  return {
    slowMs: number(values['slow_ms']) ?? 0,
    levelMin: number(values['level_min']) ?? 0,
    followersMinS: number(values['followers_min_s']) ?? 0,
    emoteOnly: values['emote_only'] === true,
    emergency: values['emergency'] === true,
    delayMs: number(values['delay_ms']) ?? 0,
  };
}

export function hello(frame: Frame): Hello {
  return {
    version: text(frame['version']),
    connection: text(frame['connection']),
    node: text(frame['node']),
    room: text(frame['room']),
    user: user(frame['user']),
    expires: number(frame['expires']),
    recovered: typeof frame['recovered'] === 'boolean' ? frame['recovered'] : undefined,
    online: number(frame['online']) ?? 0,
    mode: mode(frame['mode']),
    canSend: frame['can_send'] === true,
  };
}

export function verdict(frame: Frame): Verdict {
  return {
    clientId: text(frame['client_id']),
    id: text(frame['id']),
    verdict: text(frame['verdict']) || 'passed',
    code: word(frame['code']),
    of: word(frame['of']),
    until: number(frame['until']),
    retryAfterMs: number(frame['retry_after_ms']),
  };
}

/** Whether a style is one that the door can read; it would answer another with an error that names no message. */
export const isStyle = ({ color, position, size }: { color?: unknown; position?: unknown; size?: unknown }): boolean =>
  (color === undefined || (typeof color === 'string' && COLOR.test(color))) &&
  [undefined, ...POSITIONS].includes(position as Position) &&
  [undefined, ...SIZES].includes(size as Size);
