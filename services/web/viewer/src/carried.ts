// What gifts, super-chats and typed events carry, read with care: it comes from outside. Pure.

import type { Message } from '@danmaku/client';
import { cut } from './cut.js';

export interface Gift {
  /** The same gift of the same person counts up. */
  key: string;
  name: string;
  count: number;
  /** How many messages it stands for: gifts that came too fast are one. */
  folded: number;
}

export interface Super {
  amountMinor: number;
  currency: string;
  showMs: number;
}

export interface Side {
  name: string;
  points: number;
}

const SHOW_MS = { least: 5_000, most: 300_000 };
const NAME_LETTERS_MAX = 32;
/** No game knows more; a number of twenty digits is no score. */
const POINTS_MAX = 99_999;

export function giftOf({ user, data }: Pick<Message, 'user' | 'data'>): Gift {
  const said = fields(data);
  const name = text(said.name) || text(said.gift);
  return {
    key: `${user?.id ?? ''}|${text(said.gift) || name}`,
    name,
    count: whole(said.count) ?? 1,
    folded: whole(said.folded) ?? 1,
  };
}

export function superOf({ data }: Pick<Message, 'data'>): Super {
  const said = fields(data);
  return {
    amountMinor: whole(said.amount_minor) ?? 0,
    currency: /^[A-Z]{3}$/.test(text(said.currency)) ? text(said.currency) : '',
    showMs: Math.min(SHOW_MS.most, Math.max(SHOW_MS.least, whole(said.show_ms) ?? 0)),
  };
}

/** An event `score` carries `{sides: [{name, points}, {name, points}]}`; without two sides there is none. */
export function scoreOf({ data }: Pick<Message, 'data'>): readonly Side[] | undefined {
  const { sides } = fields(data);
  if (!Array.isArray(sides) || sides.length !== 2) return undefined;
  const [home, away] = sides.map(fields);
  const read = [home, away].map((side) => ({ name: text(side?.name), points: Number(side?.points) }));
  return read.every(({ points }) => Math.abs(points) <= POINTS_MAX) ? read : undefined;
}

/** A sum in words of the reader's language; nothing for a currency that nobody knows. */
export function sumOf({ amountMinor, currency }: Super, lang: string): string {
  if (!currency) return '';
  const format = new Intl.NumberFormat(lang, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  return format.format(amountMinor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Which of five colors a sum has, from the smallest: each is worth some times the one before, in any currency. */
export function tierOf({ amountMinor }: Super): number {
  const tier = [1_000, 3_000, 10_000, 50_000].findIndex((least) => amountMinor < least);
  return tier < 0 ? 4 : tier;
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

const text = (value: unknown): string => (typeof value === 'string' ? cut(value, NAME_LETTERS_MAX) : '');

function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
