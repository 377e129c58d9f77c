// Who watches: a name per tab, and a pass from the server's development door where it gives any. A token is never kept.

import type { TokenAsk } from '@danmaku/client';
import type { Drawer } from './keep.js';

const NAME = 'danmaku.name';
/** A pass that ends sooner is asked for anew. */
const LEFT_MS_MIN = 60_000;

export class Guest {
  #pass: { token: string; expires: number } | null = null;
  /** Who the passes are for, so that a renewed one is the same viewer's. */
  #user = '';
  /** The server gives no passes, so this page only watches. */
  watchOnly = false;

  constructor(
    public name: string,
    private readonly ask: (url: string) => Promise<Response> = (url) => fetch(url, { cache: 'no-store' }),
  ) {}

  /** A pass, or null for those who may only watch; rejects when the server cannot be reached. */
  async token({ renew }: TokenAsk, now = Date.now()): Promise<string | null> {
    if (!renew && this.#pass && now < this.#pass.expires - LEFT_MS_MIN) return this.#pass.token;
    const user = this.#user && `&user=${this.#user}`;
    const answer = await this.ask(`/dev/token?name=${encodeURIComponent(this.name)}${user}`);
    if (answer.status >= 500 || answer.status === 429) throw new Error(`no pass: ${answer.status}`);
    this.watchOnly = !answer.ok;
    if (this.watchOnly) return null;
    const pass: { token: string; expires: number; user: { id: string } } = await answer.json();
    this.#pass = pass;
    this.#user = pass.user.id;
    return pass.token;
  }

  rename(name: string): void {
    this.name = name;
    this.#pass = null;
  }
}

/** A guest keeps a name per tab, so that two tabs are two people. */
export function nameFor(tab: Drawer, invent: (number: number) => string): string {
  const known = tab.get(NAME);
  if (known) return known;
  const name = invent(1000 + Math.floor(Math.random() * 9000));
  tab.set(NAME, name);
  return name;
}

export const keepName = (tab: Drawer, name: string): void => tab.set(NAME, name);
