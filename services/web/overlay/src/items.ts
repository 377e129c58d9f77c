// One message as the elements that overlay style sheets address: names, ids and attributes of the chat they were made for.
// Text is always text, and no picture is fetched: a face is drawn from the name.

import type { Message, User } from '@danmaku/client';
import { giftOf, sumOf, superOf, tierOf } from '../../viewer/src/carried.js';
import { cut } from '../../viewer/src/cut.js';
import { hueOf, nameOf } from '../../viewer/src/dom.js';
import type { OverlayWords } from './words.js';

/** The door lets 100 in; somebody else's may let in more. */
const LETTERS_MAX = 300;

export type AuthorType = '' | 'member' | 'moderator' | 'owner';

const LIST = 'yt-live-chat-item-list-renderer';
const TEXT = 'yt-live-chat-text-message-renderer';
const PAID = 'yt-live-chat-paid-message-renderer';
const CHIP = 'yt-live-chat-author-chip';
const BADGE = 'yt-live-chat-author-badge-renderer';
const NOTE = 'yt-live-chat-viewer-engagement-message-renderer';
const TICKER = 'yt-live-chat-ticker-paid-message-item-renderer';

/** Header and body of the five sums, from the smallest. */
const PAID_COLORS = [
  ['hsl(218 66% 40%)', 'hsl(214 68% 48%)'],
  ['hsl(186 90% 24%)', 'hsl(178 82% 26%)'],
  ['hsl(28 92% 30%)', 'hsl(30 92% 34%)'],
  ['hsl(338 72% 40%)', 'hsl(338 74% 44%)'],
  ['hsl(276 66% 42%)', 'hsl(288 60% 48%)'],
] as const;

const BADGES: Record<string, AuthorType> = {
  owner: 'owner',
  streamer: 'owner',
  anchor: 'owner',
  moderator: 'moderator',
  mod: 'moderator',
  admin: 'moderator',
  member: 'member',
  sponsor: 'member',
  guard: 'member',
  fan: 'member',
};

/** The highest that a badge says. */
export function authorTypeOf(user: User | undefined): AuthorType {
  const types = (user?.badges ?? []).map((badge) => (Object.hasOwn(BADGES, badge) ? BADGES[badge] : undefined));
  return (['owner', 'moderator', 'member'] as const).find((type) => types.includes(type)) ?? '';
}

/** The element for a message; nothing for one that is not for eyes, as an event without text. */
export function itemOf(message: Message, words: OverlayWords): HTMLElement | undefined {
  if (message.kind === 'gift') return giftItem(message, words);
  if (message.kind === 'super') return superItem(message, words);
  if (!message.text) return undefined;
  return message.kind === 'chat' ? textItem(message) : noteItem(message);
}

function textItem(message: Message): HTMLElement {
  const type = authorTypeOf(message.user);
  const text = part('span', TEXT, 'message', cut(message.text, LETTERS_MAX));
  const time = part('span', TEXT, 'timestamp', timeOf(message));
  const content = part('div', TEXT, 'content', time, chip(message, type), text);
  const item = part(TEXT, LIST, '', photo(message, TEXT, 24), content);
  item.setAttribute('author-type', type);
  // Colors and places are the sender's: a style sheet may use them.
  if (message.color) item.style.setProperty('--danmaku-color', message.color);
  return item;
}

function chip(message: Message, type: AuthorType): HTMLElement {
  const name = part('span', CHIP, 'author-name', nameOf(message), part('span', CHIP, 'chip-badges'));
  name.setAttribute('dir', 'auto');
  name.setAttribute('type', type);
  const badges = part('span', CHIP, 'chat-badges');
  if (type) {
    const badge = part(BADGE, CHIP, '', part('div', BADGE, 'image', part('yt-icon', BADGE)));
    badge.setAttribute('type', type);
    badges.append(badge);
  }
  return part(CHIP, TEXT, '', name, badges);
}

function superItem(message: Message, words: OverlayWords): HTMLElement {
  const said = superOf(message);
  return paid(message, tierOf(said), sumOf(said, words.lang), message.text);
}

/** Gifts have no price in money here: their name and number stand where a sum would. */
function giftItem(message: Message, words: OverlayWords): HTMLElement {
  const { name, count } = giftOf(message);
  return paid(message, 0, words.gift(name, count), '');
}

function paid(message: Message, tier: number, amount: string, text: string): HTMLElement {
  const name = part('div', PAID, 'author-name', nameOf(message));
  const column = part('div', PAID, 'header-content-primary-column', name, part('div', PAID, 'purchase-amount', amount));
  const words = part('div', PAID, 'header-content', column, part('span', PAID, 'timestamp', timeOf(message)));
  const header = part('div', PAID, 'header', photo(message, PAID, 40), words);
  const body = part('div', PAID, 'content', part('div', PAID, 'message', cut(text, LETTERS_MAX)));
  const item = part(PAID, LIST, '', part('div', PAID, 'card', header, body));
  item.setAttribute('allow-animations', '');
  if (!text) item.setAttribute('show-only-header', '');
  const [dark, bright] = PAID_COLORS[tier] ?? PAID_COLORS[0];
  item.style.setProperty('--yt-live-chat-paid-message-secondary-color', dark);
  item.style.setProperty('--yt-live-chat-paid-message-primary-color', bright);
  for (const name of ['header-color', 'author-name-color', 'color'])
    item.style.setProperty(`--yt-live-chat-paid-message-${name}`, '#fff');
  return item;
}

function noteItem(message: Message): HTMLElement {
  const card = part(
    'div',
    NOTE,
    'card',
    part('div', NOTE, 'content', part('div', NOTE, 'message', cut(message.text, LETTERS_MAX))),
  );
  return part(NOTE, LIST, '', card);
}

/** A super-chat's place in the row on top. */
export function tickerItemOf(message: Message, words: OverlayWords): HTMLElement {
  const said = superOf(message);
  const content = part(
    'div',
    TICKER,
    'content',
    photo(message, TICKER, 24),
    part('span', TICKER, 'text', sumOf(said, words.lang)),
  );
  const container = part('div', TICKER, 'container', content);
  container.style.background = PAID_COLORS[tierOf(said)]?.[1] ?? '';
  return part(TICKER, 'yt-live-chat-ticker-renderer', '', container);
}

/** Says behind a text how many said it, from two on. */
export function countOn(item: HTMLElement, count: number): void {
  item.querySelector('.el-badge')?.remove();
  if (count < 2) return;
  const number = document.createElement('sup');
  number.className = 'el-badge__content';
  number.textContent = `×${count}`;
  const badge = part('div', TEXT, '', number);
  badge.classList.add('el-badge');
  item.querySelector('#content')?.append(badge);
}

function photo(message: Message, scope: string, size: number): HTMLElement {
  const image = document.createElement('img');
  image.id = 'img';
  image.alt = '';
  image.width = image.height = size;
  image.src = faceOf(message.user?.id ?? '', nameOf(message));
  const shadow = part('yt-img-shadow', scope, 'author-photo', image);
  shadow.setAttribute('width', String(size));
  shadow.setAttribute('height', String(size));
  return shadow;
}

/** A round face in a person's own tint, with the name's first letter if it has one. */
export function faceOf(id: string, name: string): string {
  const letter = /^[\p{L}\p{N}]/u.exec(name)?.[0] ?? '';
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" fill="hsl(${hueOf(id)} 55% 48%)"/>` +
    `<text x="20" y="27" font-family="sans-serif" font-size="19" font-weight="700" fill="#fff" text-anchor="middle">${letter}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

const timeOf = ({ at }: Message): string => new Date(at).toTimeString().slice(0, 5);

/** An element inside `scope`, under an id that is the same in each item: that is what the style sheets expect. */
function part(tag: string, scope: string, id: string = '', ...content: (string | Node)[]): HTMLElement {
  const node = document.createElement(tag);
  if (id) node.id = id;
  node.className = `style-scope ${scope}`;
  node.append(...content);
  return node;
}
