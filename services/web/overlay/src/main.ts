// Puts the overlay together: one room, read only, from the address alone, and back again for ever.
// `?room=` the room, `?token=` a token that may only watch, `?theme=` one of ours, `?fold=0` each line for itself, `?lang=`.

import { Danmaku, type State } from '@danmaku/client';
import { Guest } from '../../viewer/src/guest.js';
import { adoptStyles } from './adopt.js';
import { Chat } from './chat.js';
import { overlayWords } from './words.js';

/** Nobody presses a button on an overlay: after a word that says "stay away" it asks again each minute or two. */
const AGAIN_MS = 60_000;

const address = new URLSearchParams(location.search);
const words = overlayWords([address.get('lang') ?? '', ...navigator.languages]);
const themes = import.meta.glob<string>('../themes/*.css', { query: '?url', import: 'default', eager: true });
const renderer = find('yt-live-chat-renderer');
const state = find('#danmaku-state');
const chat = new Chat(
  {
    items: find('#items.yt-live-chat-item-list-renderer'),
    scroller: find('#item-scroller'),
    ticker: find('yt-live-chat-ticker-renderer'),
    tickerItems: find('#items.yt-live-chat-ticker-renderer'),
  },
  words,
  address.get('fold') !== '0',
);
const room = new Danmaku({
  url: location.origin,
  room: address.get('room') || 'demo',
  token: tokenSource(),
  profile: 'camera',
});

document.documentElement.lang = words.lang;
wear(address.get('theme') ?? '');
adoptStyles();
room.on('state', say);
room.on('message', (message) => {
  chat.add(message);
  say(room.state);
});
room.on('recall', ({ matches }) => chat.remove(matches));
room.on('stopped', () => setTimeout(() => room.reconnect(), AGAIN_MS * (1 + Math.random())));
room.connect();

/** The address's token, else a pass of a development server, else nobody's name. */
function tokenSource() {
  const token = address.get('token');
  if (token) return token;
  const guest = new Guest('overlay');
  return (ask: { renew: boolean }) => guest.token(ask);
}

/** What a streamer must know, while there is nothing else to see or the line is down. */
function say(now: State): void {
  renderer.dataset.state = now.kind;
  state.textContent = wordsOf(now);
  state.dataset.state = now.kind;
}

function wordsOf(now: State): string {
  if (now.kind === 'live') return chat.wasHeard ? '' : words.quiet;
  if (now.kind === 'waiting') return words.waiting;
  if (now.kind === 'stopped') return words.stopped(now.code);
  return chat.wasHeard ? '' : words.connecting;
}

function wear(theme: string): void {
  const url = themes[`../themes/${theme}.css`];
  if (!url) return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = url;
  document.head.append(link);
}

function find(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}
