// Who moderates: the token, where it comes from and how long it is kept. A token stays in this tab; no address ever carries it to a
// server.

import { signal } from '@preact/signals';

export interface Known {
  token: string;
  id: string;
  name: string;
  roles: string[];
  /** The only rooms it is for; absent is all. */
  rooms?: string[];
  /** Unix milliseconds; absent is never. */
  expires?: number;
  /** It came from the development door, which gives another. */
  isDevelopment?: boolean;
}

const KEPT = 'danmaku.console';
export const RENEW_BEFORE_MS = 60_000;

/** What a token says of itself. It is not believed, only shown: the service looks at its signature. */
export function claims(token: string): Known | undefined {
  try {
    const [, middle] = token.trim().split('.');
    const bytes = Uint8Array.from(atob((middle ?? '').replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
    const said = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    if (typeof said.sub !== 'string') return undefined;
    const words = (value: unknown) => (Array.isArray(value) ? value.filter((word) => typeof word === 'string') : []);
    const known: Known = { token: token.trim(), id: said.sub, name: said.sub, roles: words(said.roles) };
    if (typeof said.name === 'string' && said.name !== '') known.name = said.name;
    if (Array.isArray(said.rooms)) known.rooms = words(said.rooms);
    if (typeof said.exp === 'number') known.expires = said.exp * 1000;
    return known;
  } catch {
    return undefined;
  }
}

/** The token that an address's fragment brings. */
export function fromFragment(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, '')).get('token') ?? undefined;
}

export class Session {
  readonly known = signal<Known | undefined>(undefined);

  constructor(
    private readonly kept: Storage | undefined,
    private readonly send: typeof fetch = (...args) => fetch(...args),
    private readonly now: () => number = Date.now,
  ) {}

  /** What this tab knew before, or what the address brought. */
  restore(hash: string): void {
    const brought = fromFragment(hash);
    if (brought !== undefined) return void this.take(brought);
    try {
      const kept = JSON.parse(this.kept?.getItem(KEPT) ?? 'null') as Known | null;
      if (kept && (kept.expires === undefined || kept.expires > this.now())) this.known.value = kept;
    } catch {
      // What was kept is not ours; the moderator signs in.
    }
  }

  /** Whether this is a token at all. */
  take(token: string, more: Partial<Known> = {}): boolean {
    const known = claims(token);
    if (known) this.keep({ ...known, ...more });
    return known !== undefined;
  }

  /** A token for development; what came instead if there is none. */
  async develop(name: string, roles: string[], user?: string): Promise<'ok' | 'none' | 'unreachable'> {
    const query = new URLSearchParams({ name, roles: roles.join(','), ...(user && { user }) });
    try {
      const response = await this.send(`/dev/token?${query}`, { cache: 'no-store' });
      if (!response.ok) return 'none';
      const said = (await response.json()) as { token?: unknown };
      return typeof said.token === 'string' && this.take(said.token, { name, isDevelopment: true }) ? 'ok' : 'none';
    } catch {
      return 'unreachable';
    }
  }

  /** Whether there is another token where this one is not believed any more. */
  async anew(): Promise<boolean> {
    const known = this.known.peek();
    return known?.isDevelopment === true && (await this.develop(known.name, known.roles, known.id)) === 'ok';
  }

  current(): string | null {
    return this.known.peek()?.token ?? null;
  }

  /** The token, another one where it ends soon and the development door gives one. */
  async token(renew: boolean): Promise<string | null> {
    const known = this.known.peek();
    if (!known) return null;
    const isEnding = known.expires !== undefined && known.expires - RENEW_BEFORE_MS < this.now();
    if (renew || isEnding) await this.anew();
    return this.current();
  }

  leave(): void {
    this.known.value = undefined;
    try {
      this.kept?.removeItem(KEPT);
    } catch {
      // Nothing was kept then.
    }
  }

  private keep(known: Known): void {
    this.known.value = known;
    try {
      this.kept?.setItem(KEPT, JSON.stringify(known));
    } catch {
      // Storage may be closed to this page; then the session lasts as long as the page.
    }
  }
}
