// What each event of the room does to the page; it knows no socket, and the parts it moves know no events.

import type { Events, Message } from '@danmaku/client';
import { giftOf } from './carried.js';
import type { Announcer } from './announcer.js';
import type { Composer } from './composer.js';
import type { Flight } from './flight.js';
import type { Gifts } from './gifts.js';
import type { History } from './history.js';
import type { Standing } from './standing.js';
import type { Status } from './status.js';
import type { Supers } from './supers.js';
import type { Fate, Tally } from './tally.js';
import type { Words } from './words.js';

/** As much of the room as is heard and asked. */
export interface Heard {
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void;
  readonly sticky: readonly Message[];
  ageMs(at: number): number;
}

export interface Page {
  words: Words;
  tally: Tally;
  status: Pick<Status, 'show' | 'people' | 'age' | 'lost' | 'changed' | 'rules'>;
  hint: HTMLElement;
  flight: Pick<Flight, 'offer' | 'remove'>;
  gifts: Pick<Gifts, 'show' | 'remove'>;
  supers: Pick<Supers, 'show' | 'remove'>;
  standing: Pick<Standing, 'hear' | 'remove'>;
  history: Pick<History, 'add' | 'remove'>;
  announcer: Pick<Announcer, 'offer' | 'remove' | 'say'>;
  composer: Pick<Composer, 'say' | 'allow' | 'verdict'>;
  watchOnly(): boolean;
  isUnwanted(message: Message): boolean;
}

export function hear(room: Heard, page: Page): void {
  const { words, status, composer } = page;
  room.on('hello', ({ online, mode, canSend }) => {
    status.people(online, false);
    status.rules(mode);
    composer.allow(canSend && !page.watchOnly(), page.watchOnly() ? words.watchOnly : words.mayNot);
    page.hint.dataset.ready = 'true';
    for (const message of room.sticky) page.standing.hear(message);
  });
  room.on('message', (message) => take(message, room, page));
  room.on('gap', ({ dropped }) => status.lost(dropped));
  room.on('recall', ({ matches }) => takeBack(page, matches, 'recalled'));
  room.on('mode', (mode) => status.rules(mode));
  room.on('verdict', (verdict) => composer.verdict(verdict));
  room.on('notice', ({ text }) => composer.say(text, 'notice'));
  room.on('online', ({ count, approximate }) => status.people(count, approximate));
  // A pass that is not taken on the line ends it with a close, where another does not help; before that nothing is lost.
  room.on('error', ({ code }) => {
    if (code !== 'unauthorized' && words.isKnown(code)) composer.say(words.refused(code, 0), 'bad');
  });
  room.on('state', (state) => {
    status.show(state);
    if (state.kind === 'stopped') composer.allow(false, words.why(state.code));
    // The curtain of a stopped page is an alert and speaks for itself.
    else if (state.kind !== 'idle' && state.kind !== 'connecting') page.announcer.say(words.state[state.kind](0));
  });
}

/** Everything that matches leaves every part of the page. */
export function takeBack(page: Page, matches: (message: Message) => boolean, why: 'recalled' | 'hidden'): void {
  page.flight.remove(matches, why);
  for (const part of ['gifts', 'supers', 'standing', 'history', 'announcer'] as const) page[part].remove(matches);
  page.status.changed();
}

function take(message: Message, room: Heard, page: Page): void {
  const { tally, status } = page;
  // Gifts that came too fast are one message, which says how many it stands for.
  const weight = message.kind === 'gift' ? giftOf(message).folded : 1;
  tally.come(weight);
  status.changed();
  if (!message.replay) status.age(room.ageMs(message.at));
  if (page.isUnwanted(message)) return tally.end('hidden', weight);
  if (page.words.said(message)) page.history.add(message);
  page.hint.hidden = true;
  page.standing.hear(message);
  const fate = message.replay ? 'aside' : show(message, page);
  if (fate) tally.end(fate, weight);
  if (!message.own && !message.replay) page.announcer.offer(message);
}

/** Its fate, unless the flight will tell. */
function show(message: Message, page: Page): Fate | undefined {
  if (message.kind === 'gift') page.gifts.show(message);
  else if (message.kind === 'super') page.supers.show(message);
  else if (message.kind !== 'event') return void page.flight.offer(message);
  return 'aside';
}
