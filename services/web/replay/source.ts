// Where a recording comes from: the moderators' service, with a token, or a file. What it says is read elsewhere.

/** Why there is none. */
export type Why = 'unauthorized' | 'forbidden' | 'busy' | 'unreachable' | 'refused' | 'unreadable';

export class NoSource extends Error {
  constructor(
    readonly why: Why,
    readonly said = '',
  ) {
    super(why);
  }
}

export interface Asked {
  room: string;
  /** Unix milliseconds. */
  from?: number;
  to?: number;
}

const WHY: Record<number, Why> = { 401: 'unauthorized', 403: 'forbidden', 429: 'busy' };

/** Where an export of a room is. */
export function exportUrl({ room, from, to }: Asked): string {
  const query = new URLSearchParams();
  if (from !== undefined) query.set('from', String(from));
  if (to !== undefined) query.set('to', String(to));
  const part = query.toString();
  return `/v1/rooms/${encodeURIComponent(room)}/export.ndjson${part === '' ? '' : `?${part}`}`;
}

/** The text at an address. A link to this page may name any: the token goes to none but this page's own origin. */
export async function fetchText(url: string, token: string | undefined, send: typeof fetch = (...args) => fetch(...args), page = location.href): Promise<string> {
  let response: Response;
  try {
    const isOurs = new URL(url, page).origin === new URL(page).origin;
    const headers: HeadersInit = isOurs && token !== undefined ? { authorization: `Bearer ${token}` } : {};
    response = await send(url, { headers, cache: 'no-store' });
  } catch {
    throw new NoSource('unreachable');
  }
  if (response.ok) return response.text();
  const said = (await response.json().catch(() => ({}))) as { message?: unknown };
  throw new NoSource(WHY[response.status] ?? 'refused', typeof said.message === 'string' ? said.message : '');
}

/** A token: what the address's fragment brings, else what the console of this tab has, else what the development door gives. */
export async function findToken(hash: string, kept: Pick<Storage, 'getItem'> | undefined, send: typeof fetch = (...args) => fetch(...args)) {
  const brought = new URLSearchParams(hash.replace(/^#/, '')).get('token');
  if (brought) return brought;
  try {
    const known = JSON.parse(kept?.getItem('danmaku.console') ?? 'null') as { token?: unknown; expires?: unknown } | null;
    const isOver = typeof known?.expires === 'number' && known.expires < Date.now();
    if (typeof known?.token === 'string' && !isOver) return known.token;
    const response = await send('/dev/token?name=replay&roles=moderator', { cache: 'no-store' });
    const said = response.ok ? ((await response.json()) as { token?: unknown }) : {};
    return typeof said.token === 'string' ? said.token : undefined;
  } catch {
    return undefined;
  }
}
