// What all screens share: who moderates, which room, which screen, what was just done. No screen's own matters.

import { computed, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Api } from '../api/api';
import { Client } from '../api/client';
import { Acts } from '../live/acts';
import { SYSTEM } from '../live/desk';
import { Names } from '../live/names';
import { Room } from '../live/room';
import { View } from '../live/view';
import type { Act } from './keys';
import { Notes } from './notes';
import { RENEW_BEFORE_MS, Session } from './session';
import { words } from './words';

export const SCREENS = ['live', 'book', 'people', 'numbers', 'log', 'nodes'] as const;
export type Screen = (typeof SCREENS)[number];

/** A room with all that is done in it. */
export interface Open {
  room: Room;
  acts: Acts;
  names: Names;
  view: View;
}

/** Rooms that were opened here before. */
const ROOMS_KEPT = 'danmaku.console.rooms';
const ROOMS_MAX = 12;

export class Page {
  readonly session = new Session(storage(() => sessionStorage));
  readonly notes = new Notes();
  readonly api = new Api(new Client(() => this.session.current()));
  readonly screen = signal<Screen>('live');
  readonly open = signal<Open | undefined>(undefined);
  readonly help = signal(false);
  readonly rooms = signal<readonly string[]>(this.knownRooms());
  /** A list that another screen wants to see. */
  readonly wanted = signal<{ list: string; find: string } | undefined>(undefined);
  /** What the screen that is shown does on a key. */
  onAct: ((act: Act) => void) | undefined;
  readonly isAdmin = computed(() => this.session.known.value?.roles.some((role) => role === 'admin' || role === 'owner') ?? false);

  enter(name: string): void {
    this.leave();
    const room = new Room(name, this.api, this.session);
    const acts = new Acts(name, this.api, this.notes, () => words.peek());
    const names = new Names(this.api, name, room.desk.listOf);
    this.open.value = { room, acts, names, view: new View() };
    this.rooms.value = [name, ...this.rooms.peek().filter((known) => known !== name)].slice(0, ROOMS_MAX);
    try {
      storage(() => localStorage)?.setItem(ROOMS_KEPT, JSON.stringify(this.rooms.peek()));
    } catch {
      // The names are a comfort only.
    }
    const address = new URL(location.href);
    address.searchParams.set('room', name);
    address.hash = '';
    history.replaceState(null, '', address);
  }

  leave(): void {
    this.open.peek()?.room.close();
    this.open.value = undefined;
  }

  /** Another token if there is one to be had; else whoever sits here comes in anew. */
  async renew(): Promise<void> {
    await this.session.token(false);
    const { expires = Infinity } = this.session.known.peek() ?? {};
    if (expires > Date.now() + RENEW_BEFORE_MS) return;
    this.notes.say(words.peek().sign.expired, 'no');
    this.signOut();
  }

  signOut(): void {
    this.leave();
    this.session.leave();
  }

  /** How somebody is called: oneself is oneself. */
  who(id: string): string {
    if (id === this.session.known.peek()?.id) return words.value.you;
    return id === '' || id === SYSTEM ? words.value.nobody : id;
  }

  private knownRooms(): string[] {
    try {
      const kept: unknown = JSON.parse(storage(() => localStorage)?.getItem(ROOMS_KEPT) ?? '[]');
      return Array.isArray(kept) ? kept.filter((name) => typeof name === 'string') : [];
    } catch {
      return [];
    }
  }
}

/** Storage may be closed to a page, and then even its name throws. */
function storage(of: () => Storage): Storage | undefined {
  try {
    return of();
  } catch {
    return undefined;
  }
}

const Shared = createContext<Page | undefined>(undefined);
export const Provider = Shared.Provider;

export function usePage(): Page {
  const page = useContext(Shared);
  if (!page) throw new Error('a screen stands outside of the page');
  return page;
}
