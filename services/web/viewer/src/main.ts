// Puts the viewer page together: reads the address, builds the parts and lets them hear one another.

import { Danmaku } from '@danmaku/client';
import { debugPanel } from '@danmaku/client/panel';
import { Announcer } from './announcer.js';
import { Books } from './books.js';
import { Composer } from './composer.js';
import { byId, Fold } from './dom.js';
import { Film } from './film.js';
import { Flight } from './flight.js';
import { Gifts } from './gifts.js';
import { Guest, keepName, nameFor } from './guest.js';
import { hear, takeBack, type Page } from './hear.js';
import { History } from './history.js';
import { Hops } from './hops.js';
import { drawer } from './keep.js';
import { Looks } from './looks.js';
import { watchFrames } from './scene.js';
import { Settings } from './settings.js';
import { Standing } from './standing.js';
import { Status } from './status.js';
import { Supers } from './supers.js';
import { Tally } from './tally.js';
import { tasteOf, withPerson, type Person, type Taste } from './taste.js';
import { wear } from './theme.js';
import { unwanted } from './unwanted.js';
import { fillWords, wordsFor } from './words.js';

const TASTE = 'danmaku.taste';

const address = new URLSearchParams(location.search);
const roomName = address.get('room') || 'demo';
const shelf = drawer(() => localStorage);
const tab = drawer(() => sessionStorage);
const words = wordsFor([address.get('lang') ?? '', ...navigator.languages]);
const guest = new Guest(address.get('name') || nameFor(tab, words.guest));
let taste = tasteOf(shelf.get(TASTE));
let isUnwanted = unwanted(taste);

const room = new Danmaku({
  url: location.origin,
  room: roomName,
  token: (ask) => guest.token(ask),
  profile: matchMedia('(pointer: coarse)').matches ? 'mobile' : 'office',
});
const tally = new Tally();
const flight = new Flight(byId('flight'), taste, tally);
const looks = new Looks(
  { button: byId('look'), panel: byId('looks'), name: byId('name', HTMLInputElement) },
  words,
  rename,
);
const history = new History(
  { panel: byId('history'), list: byId('lines'), button: byId('list'), close: byId('fold') },
  words,
  mute,
);
const page = buildPage();
const settings = buildSettings();

begin();

function buildPage(): Page {
  const names = [
    'bar',
    'state',
    'online',
    'latency',
    'received',
    'dropped',
    'skipped',
    'mode',
    'curtain',
    'why',
  ] as const;
  const bar = Object.fromEntries(names.map((name) => [name, byId(name)])) as Record<
    (typeof names)[number],
    HTMLElement
  >;
  const standing = { score: byId('score'), pin: byId('pin'), text: byId('pin-text'), close: byId('pin-close') };
  return {
    words,
    tally,
    flight,
    status: new Status(bar, words, tally),
    hint: byId('hint'),
    gifts: new Gifts(byId('gifts'), words),
    supers: new Supers(byId('supers'), byId('super-reader'), words),
    standing: new Standing(standing),
    history,
    announcer: new Announcer(byId('aloud'), words),
    composer: buildComposer(),
    watchOnly: () => guest.watchOnly,
    isUnwanted: (message) => isUnwanted(message),
  };
}

function buildComposer(): Composer {
  const box = {
    form: byId('composer', HTMLFormElement),
    input: byId('text', HTMLInputElement),
    send: byId('send', HTMLButtonElement),
  };
  const speaker = {
    get name() {
      return guest.name;
    },
    get style() {
      return looks.chosen;
    },
    get mode() {
      return room.mode;
    },
    say: (text: string, style: object) => room.send(text, style),
  };
  return new Composer({ ...box, left: byId('left'), note: byId('note') }, speaker, words);
}

function buildSettings(): Settings {
  const books = new Books(byId('books'), tally, words);
  const lists = { words: byId('muted-words'), people: byId('muted-people') };
  const inputs = {
    folds: byId('folds', HTMLInputElement),
    word: byId('muted-word', HTMLInputElement),
    add: byId('add-word', HTMLFormElement),
  };
  const frame = { button: byId('taste'), panel: byId('settings'), close: byId('settings-close') };
  return new Settings({ ...frame, ...inputs, ...lists }, taste, words, suit, (isOpen) => books.open(isOpen));
}

function begin(): void {
  nameThings();
  wear(taste.theme);
  hear(room, page);
  buildPanels();
  const film = buildFilm();
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  calm.addEventListener('change', () => setCalm(calm.matches));
  if (calm.matches) setCalm(true);
  byId('again').addEventListener('click', () => room.reconnect());
  byId('flying').addEventListener('click', () => setFlight(!flight.flies));
  document.addEventListener('keydown', focusBox);
  visualViewport?.addEventListener('resize', fitKeyboard);
  watchFrames(byId('scene'));
  room.connect();
  const video = address.get('video');
  if (video) film.show(video);
}

function nameThings(): void {
  document.documentElement.lang = words.lang;
  document.title = words.title(roomName);
  fillWords(document, words);
  byId('room').textContent = roomName;
  byId('name', HTMLInputElement).value = guest.name;
}

function buildPanels(): void {
  const hops = { button: byId('latency'), panel: byId('hops'), table: byId('hops-table', HTMLTableElement) };
  new Hops({ ...hops, note: byId('hops-note'), close: byId('hops-close') }, words);
  let end = () => {};
  const line = new Fold(byId('pill'), byId('line'), (isOpen) => {
    end();
    end = isOpen ? debugPanel(room, byId('line-inside')) : () => {};
  });
  byId('line-close').addEventListener('click', () => line.open(false));
}

function buildFilm(): Film {
  const parts = {
    video: byId('film', HTMLVideoElement),
    file: byId('film-file', HTMLInputElement),
    close: byId('film-close'),
  };
  // How long ago the year 1970 began by the server's clock is the server's time.
  return new Film(
    parts,
    () => room.ageMs(0),
    (picture) => room.syncTo(picture),
    () => page.composer.say(words.filmFailed, 'bad'),
  );
}

function suit(chosen: Taste): void {
  taste = chosen;
  shelf.set(TASTE, JSON.stringify(taste));
  isUnwanted = unwanted(taste);
  flight.suit(taste);
  wear(taste.theme);
  takeBack(page, isUnwanted, 'hidden');
}

function mute(person: Person): void {
  suit(withPerson(taste, person));
  settings.show(taste);
  page.composer.say(words.muted(person.name), 'quiet');
}

/** Whoever asked for less motion reads the list instead of the flight. */
function setCalm(isCalm: boolean): void {
  setFlight(!isCalm);
  history.open(isCalm);
}

function setFlight(flies: boolean): void {
  flight.fly(flies);
  byId('flying').setAttribute('aria-pressed', String(flies));
}

function focusBox(event: KeyboardEvent): void {
  const isTyping = event.target instanceof HTMLInputElement && event.target.type === 'text';
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  byId('text').focus();
}

/** A phone's keyboard covers the page without resizing it; the composer must stay above it. */
function fitKeyboard(): void {
  if (!visualViewport || visualViewport.scale > 1.01) return; // fingers zoom, no keyboard
  document.documentElement.style.setProperty('--page-height', `${Math.round(visualViewport.height)}px`);
  scrollTo(0, 0);
}

function rename(name: string): void {
  guest.rename(name);
  keepName(tab, name);
  room.reconnect();
}
