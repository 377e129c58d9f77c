// Puts the replay page together: asks which recording, reads it, and lets stage, list and bar follow one time.

import { Controls } from './controls';
import { Clock, type Media } from './media';
import { read } from './read';
import { clockTime, type Recording } from './rows';
import { exportUrl, fetchText, findToken, NoSource, type Asked } from './source';
import { Stage } from './stage';
import { Transcript } from './transcript';
import { fillWords, wordsFor } from './words';

/** After the last line there is time to read it. */
const AFTER_S = 10;

const words = wordsFor(navigator.languages);
const page = place('page', HTMLElement);
const note = place('note', HTMLElement);
const video = place('video', HTMLVideoElement);
const offset = place('offset', HTMLInputElement);
const stage = new Stage(place('flight', HTMLElement));
const transcript = new Transcript(place('lines', HTMLOListElement), (second) => controls.seekTo(second));
const curve = document.getElementById('curve');
const controls = new Controls(
  {
    play: place('play', HTMLButtonElement),
    seek: place('seek', HTMLInputElement),
    time: place('time', HTMLElement),
    rate: place('rate', HTMLSelectElement),
    curve: curve instanceof SVGPathElement ? curve : document.createElementNS('http://www.w3.org/2000/svg', 'path'),
  },
  words,
  (second) => transcript.at(second),
);
let recording: Recording | undefined;
let media: Media | undefined;
let token: string | undefined;
let asks = 0;

begin();

function place<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}

function begin(): void {
  document.documentElement.lang = words.lang;
  fillWords(document, words);
  name('');
  const address = new URLSearchParams(location.search);
  place('room', HTMLInputElement).value = address.get('room') ?? 'demo';
  hearForm();
  hearFiles();
  hearSwitches();
  document.addEventListener('keydown', hearKey);
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  if (calm.matches) fly(false);
  if (innerWidth < 720) list(false);
  const isAsked = address.has('room') || address.has('src');
  if (isAsked) void load(address.get('src') ?? exportUrl({ room: address.get('room') ?? 'demo', ...span(address) }));
}

function span(address: URLSearchParams): Partial<Asked> {
  const times = (['from', 'to'] as const).map((key) => [key, Number(address.get(key) ?? NaN)] as const);
  return Object.fromEntries(times.filter(([, ms]) => Number.isFinite(ms)));
}

function hearForm(): void {
  place('ask', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    token = place('token', HTMLInputElement).value.trim() || token;
    const asked: Asked = { room: place('room', HTMLInputElement).value };
    for (const key of ['from', 'to'] as const) {
      const ms = place(key, HTMLInputElement).valueAsNumber;
      // The field speaks of the local clock as if it were the world's.
      if (Number.isFinite(ms)) asked[key] = ms + new Date(ms).getTimezoneOffset() * 60_000;
    }
    void load(exportUrl(asked));
  });
  place('other', HTMLButtonElement).addEventListener('click', ask);
}

async function load(url: string): Promise<void> {
  const mine = (asks += 1);
  say(words.loading);
  try {
    token ??= await findToken(location.hash, storage());
    const text = await fetchText(url, token);
    if (mine === asks) take(text);
  } catch (error) {
    if (mine === asks) refuse(error instanceof NoSource ? error : new NoSource('unreadable'));
  }
}

function take(text: string): void {
  const found = read(text);
  if (!found) return refuse(new NoSource('unreadable'));
  if (found.rows.length === 0) return refuse(new NoSource('refused', words.empty));
  recording = found;
  page.dataset.state = 'playing';
  place('other', HTMLButtonElement).hidden = false;
  name(found.room);
  if (video.hidden) show(ownClock());
  else show(video);
  tellFacts(found);
  place('play', HTMLButtonElement).focus();
}

function refuse({ why, said }: NoSource): void {
  if (why === 'unauthorized' || why === 'forbidden') {
    token = undefined;
    place('token-place', HTMLElement).hidden = false;
  }
  ask();
  say(said === '' || why !== 'refused' ? words.why[why] : said);
}

function ask(): void {
  page.dataset.state = 'asking';
  say('');
  controls.pause();
}

function say(text: string): void {
  note.textContent = text;
}

function name(room: string): void {
  document.title = room === '' ? words.title : `${room} · ${words.title}`;
  place('title', HTMLElement).textContent = room === '' ? words.static.heading : room;
}

function tellFacts({ rows, sinceMs, isCut, isWhole, unread }: Recording): void {
  const number = (count: number) => count.toLocaleString(words.lang);
  const facts = [words.loaded(number(rows.length), clockTime(rows.at(-1)?.at ?? 0))];
  if (sinceMs !== undefined) facts.push(words.since(new Date(sinceMs).toLocaleString(words.lang)));
  if (isCut) facts.push(words.cut);
  if (!isWhole) facts.push(words.broken);
  if (unread > 0) facts.push(words.unread(number(unread)));
  if (stage.thinnedOut > 0) facts.push(words.thinned(number(stage.thinnedOut)));
  place('facts', HTMLElement).textContent = facts.join(' · ');
}

function ownClock(): Clock {
  return new Clock((recording?.rows.at(-1)?.at ?? 0) + AFTER_S);
}

/** Everything follows this media from now on. */
function show(next: Media): void {
  if (!recording) return;
  const later = offset.valueAsNumber || 0;
  media = next;
  controls.drive(next);
  stage.show(recording.rows, next, later);
  transcript.show(recording.rows, later);
  controls.draw(recording.rows, later);
}

function hearFiles(): void {
  const file = place('file', HTMLInputElement);
  const filmFile = place('film-file', HTMLInputElement);
  place('open', HTMLButtonElement).addEventListener('click', () => file.click());
  place('film', HTMLButtonElement).addEventListener('click', () => (video.hidden ? filmFile.click() : film(undefined)));
  file.addEventListener('change', () => void open(file.files?.[0]));
  filmFile.addEventListener('change', () => film(filmFile.files?.[0]));
  video.addEventListener('loadedmetadata', () => show(video));
  // Some videos say late how long they are.
  video.addEventListener('durationchange', () => media === video && recording && controls.draw(recording.rows, offset.valueAsNumber || 0));
  offset.addEventListener('change', () => media && show(media));
  addEventListener('dragover', (event) => {
    event.preventDefault();
    page.classList.add('is-dropping');
  });
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) page.classList.remove('is-dropping');
  });
  addEventListener('drop', (event) => {
    event.preventDefault();
    page.classList.remove('is-dropping');
    const dropped = event.dataTransfer?.files[0];
    if (dropped && /^(video|audio)\//.test(dropped.type)) film(dropped);
    else void open(dropped);
  });
}

async function open(file: File | undefined): Promise<void> {
  if (!file) return;
  const mine = (asks += 1);
  say(words.loading);
  const text = await file.text().catch(() => '');
  if (mine === asks) take(text);
}

/** Plays over this video, or over none. */
function film(file: File | undefined): void {
  if (video.src !== '') URL.revokeObjectURL(video.src);
  video.hidden = file === undefined;
  place('film', HTMLButtonElement).textContent = file ? words.static.noVideo : words.static.video;
  if (file) video.src = URL.createObjectURL(file);
  else {
    video.removeAttribute('src');
    show(ownClock());
  }
}

function hearSwitches(): void {
  const flying = place('flying', HTMLButtonElement);
  flying.addEventListener('click', () => fly(flying.getAttribute('aria-pressed') !== 'true'));
  const listing = place('listing', HTMLButtonElement);
  listing.addEventListener('click', () => list(listing.getAttribute('aria-expanded') !== 'true'));
}

function fly(isOn: boolean): void {
  stage.hide(!isOn);
  place('flying', HTMLButtonElement).setAttribute('aria-pressed', String(isOn));
}

function list(isOpen: boolean): void {
  place('transcript', HTMLElement).hidden = !isOpen;
  place('listing', HTMLButtonElement).setAttribute('aria-expanded', String(isOpen));
}

function hearKey(event: KeyboardEvent): void {
  const isElsewhere = event.target instanceof Element && event.target.closest('input, select, button, form') !== null;
  if (isElsewhere || event.ctrlKey || event.metaKey || event.altKey) return;
  const acts: Record<string, () => void> = {
    ' ': () => controls.toggle(),
    ArrowLeft: () => controls.step(-1),
    ArrowRight: () => controls.step(1),
    '<': () => controls.faster(-1),
    '>': () => controls.faster(1),
  };
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function storage(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    // It may be closed to this page.
    return undefined;
  }
}
