// The whole console: who comes in, which screen is shown, and the keys that work everywhere.

import { useEffect, useState } from 'preact/hooks';
import { Book } from './book/book';
import { Bar, Rail } from './frame/bar';
import { Help } from './frame/help';
import { type Act, actOf, type Where } from './frame/keys';
import { NotesView } from './frame/notes-view';
import { type Page, Provider, type Screen, SCREENS, usePage } from './frame/page';
import { RENEW_BEFORE_MS } from './frame/session';
import { SignIn } from './frame/sign-in';
import { words } from './frame/words';
import { Live } from './live/live';
import { Log } from './record/log';
import { Nodes } from './record/nodes';
import { Numbers } from './record/numbers';
import { People } from './record/people';

/** A longer timer ends at once; a token that lasts longer ends with the page. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Below this the screens are a phone's. */
const NARROW = '(max-width: 819px)';

export function App({ page }: { page: Page }) {
  return (
    <Provider value={page}>
      {page.session.known.value ? <Inside /> : <SignIn />}
      <NotesView />
    </Provider>
  );
}

function Inside() {
  const page = usePage();
  const isNarrow = useMedia(NARROW);
  const open = page.open.value;
  const w = words.value;
  useEffect(() => {
    if (!page.open.peek()) page.enter(new URLSearchParams(location.search).get('room') || page.rooms.peek()[0] || 'demo');
    const press = (event: KeyboardEvent) => onKey(page, event);
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  const expires = page.session.known.value?.expires;
  useEffect(() => {
    if (expires === undefined) return;
    const timer = setTimeout(() => void page.renew(), Math.min(TIMER_MAX_MS, expires - RENEW_BEFORE_MS / 2 - Date.now()));
    return () => clearTimeout(timer);
  }, [expires]);
  if (!open) return null;
  const screens: Record<Screen, () => preact.ComponentChildren> = {
    live: () => <Live open={open} isNarrow={isNarrow} />,
    book: () => <Book open={open} />,
    people: () => <People open={open} />,
    numbers: () => <Numbers open={open} />,
    log: () => <Log open={open} />,
    nodes: () => <Nodes open={open} />,
  };
  return (
    <div class="page">
      <Bar key={open.room.name} />
      <Rail />
      <main key={`${open.room.name} ${page.screen.value}`} class="screen" aria-label={w.screens[page.screen.value]}>
        {screens[page.screen.value]()}
      </main>
      {page.help.value && <Help onClose={() => (page.help.value = false)} />}
    </div>
  );
}

function onKey(page: Page, event: KeyboardEvent): void {
  if (document.querySelector('dialog[open]')) return;
  const act = actOf(event, isWriting(event.target), places(page));
  if (!act) return;
  event.preventDefault();
  if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
  everywhere(page, act);
}

function everywhere(page: Page, act: Act): void {
  const screen = SCREENS.find((screen) => act === `screen-${screen}`);
  if (screen) page.screen.value = screen;
  else if (act === 'help') page.help.value = true;
  else if (act === 'undo') void page.notes.undo();
  else if (act === 'search') document.getElementById('search')?.focus();
  else page.onAct?.(act);
}

/** Where keys act now, the narrowest last. */
function places(page: Page): Where[] {
  const screen = page.screen.peek();
  if (screen === 'book') return ['book'];
  if (screen !== 'live') return [];
  const open = page.open.peek();
  const chosen = open?.view.chosen.peek();
  const isHeld = chosen ? open?.room.desk.queue.waiting.some(({ id }) => id === chosen.id) : true;
  return chosen?.kind === 'line' ? ['live', 'line', ...(isHeld ? (['held'] as const) : [])] : ['live', 'held'];
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isButton = target instanceof HTMLInputElement && ['checkbox', 'radio', 'button', 'file'].includes(target.type);
  return !isButton && target.matches('input, textarea, select, [contenteditable]');
}

function useMedia(query: string): boolean {
  const [is, set] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const change = () => set(media.matches);
    media.addEventListener('change', change);
    return () => media.removeEventListener('change', change);
  }, [query]);
  return is;
}
