// Puts the viewer page together: reads the room from the address, builds the parts and lets them hear one another.

import { Announcer } from './announcer.js';
import { Banners } from './banners.js';
import { Composer } from './composer.js';
import { clockNow, Connection } from './connection.js';
import { History } from './history.js';
import { Hops } from './hops.js';
import { Looks } from './looks.js';
import { Pass } from './pass.js';
import { Room } from './room.js';
import { watchFrames } from './scene.js';
import { Stage } from './stage.js';
import { Status } from './status.js';
import { fillWords, wordsFor } from './words.js';

const byId = (id) => document.getElementById(id);
const pick = (names) => Object.fromEntries(Object.entries(names).map(([name, id]) => [name, byId(id)]));

const address = new URLSearchParams(location.search);
const roomName = address.get('room') || 'demo';
const words = wordsFor(navigator.languages ?? [navigator.language]);
const pass = new Pass(address.get('name') || myName());
const page = buildPage();
const room = new Room(page);
const connection = new Connection(roomName, pass, { state: showState, frame: (frame) => room.hear(frame) });

begin();

function buildPage() {
  const figures = ['bar', 'state', 'online', 'latency', 'received', 'dropped', 'mode', 'curtain', 'why'];
  const status = new Status(pick(Object.fromEntries(figures.map((id) => [id, id]))), words);
  const looks = new Looks(pick({ button: 'look', panel: 'looks', name: 'name' }), words, rename);
  const hops = { button: 'latency', panel: 'hops', table: 'hops-table', note: 'hops-note', close: 'hops-close' };
  const box = pick({ form: 'composer', input: 'text', send: 'send', left: 'left', note: 'note' });
  return {
    words,
    pass,
    status,
    hint: byId('hint'),
    stage: new Stage(byId('flight'), (count) => status.skipped(count)),
    banners: new Banners(byId('banners'), words),
    history: new History(pick({ panel: 'history', list: 'lines', button: 'list', close: 'fold' }), words),
    hops: new Hops(pick(hops), words),
    announcer: new Announcer(byId('aloud'), words),
    composer: new Composer(box, { room: roomName, pass, looks, words, onSent: (id) => room.sent(id) }),
    age: (at) => connection.clock.ageMs(at, clockNow()),
    reply: (frame) => connection.send(frame),
  };
}

function nameThings() {
  document.documentElement.lang = words.lang;
  document.title = words.title(roomName);
  fillWords(document, words);
  byId('room').textContent = roomName;
  byId('name').value = pass.name;
}

function begin() {
  nameThings();
  byId('again').addEventListener('click', () => connection.again());
  byId('flying').addEventListener('click', () => setFlight(!page.stage.flies));
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  calm.addEventListener('change', () => setCalm(calm.matches));
  if (calm.matches) setCalm(true);
  document.addEventListener('keydown', focusBox);
  visualViewport?.addEventListener('resize', fitKeyboard);
  watchFrames(byId('scene'));
  connection.again();
}

function showState(state) {
  page.status.show(state);
  if (state.kind === 'stopped') page.composer.allow(false, words.why(state.code));
  // The curtain of a stopped page is an alert and speaks for itself.
  if (state.kind === 'live' || state.kind === 'waiting') page.announcer.say(words.state[state.kind](0));
}

/** Whoever asked for less motion reads the list instead of the flight. */
function setCalm(isCalm) {
  setFlight(!isCalm);
  page.history.open(isCalm);
}

function setFlight(flies) {
  page.stage.fly(flies);
  byId('flying').setAttribute('aria-pressed', String(flies));
}

function focusBox(event) {
  const isTyping = event.target instanceof HTMLInputElement && event.target.type === 'text';
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  byId('text').focus();
}

/** A phone's keyboard covers the page without resizing it; the composer must stay above it. */
function fitKeyboard() {
  if (visualViewport.scale > 1.01) return; // fingers zoom, no keyboard
  document.documentElement.style.setProperty('--page-height', `${Math.round(visualViewport.height)}px`);
  scrollTo(0, 0);
}

function rename(name) {
  pass.rename(name);
  keep('danmaku.name', name);
  connection.again();
}

/** A guest keeps a name per tab, so that two tabs are two people. */
function myName() {
  try {
    const known = sessionStorage.getItem('danmaku.name');
    if (known) return known;
  } catch {
    // Storage may be closed to this page; then the name lasts as long as the page.
  }
  const name = words.guest(1000 + Math.floor(Math.random() * 9000));
  keep('danmaku.name', name);
  return name;
}

function keep(key, value) {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // As above: nothing depends on it.
  }
}
