// One request to the service and its answer. A refusal is a value with all that a moderator needs to make it a yes; which paths
// there are is kept out (`api`).

import type { Problem, Report, Stamp } from './shapes';

/** Why something was not done. `status` 0: nobody answered. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  problems: Problem[];
  /** Somebody was faster: the newest version. */
  newest?: Stamp;
  /** It can be done with `force`: what is doubtful about it. */
  report?: Report;
  retryAfterMs?: number;
}
export type Answer<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

export type Query = Record<string, string | number | boolean | undefined>;
export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';
export interface Ask {
  query?: Query;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  file?: { body: Blob | string; type: string };
}

/** An import of 65,000 words takes seconds; what takes a minute has failed. */
const PATIENCE_MS = 60_000;

export class Client {
  constructor(
    private readonly token: () => string | null,
    private readonly send: typeof fetch = (...args) => fetch(...args),
  ) {}

  async ask<T>(method: Method, path: string, ask: Ask = {}): Promise<Answer<T>> {
    const response = await this.request(method, path, ask);
    if (!(response instanceof Response)) return { ok: false, refusal: response };
    const text = await response.text().catch(() => undefined);
    if (text === undefined) return { ok: false, refusal: unreachable('the answer broke off') };
    return read<T>(response.status, text);
  }

  /** The answer as a file. */
  async file(path: string, query: Query = {}): Promise<Answer<Blob>> {
    const response = await this.request('GET', path, { query });
    if (!(response instanceof Response)) return { ok: false, refusal: response };
    if (response.ok) return { ok: true, value: await response.blob() };
    return read<Blob>(response.status, await response.text().catch(() => ''));
  }

  private async request(method: Method, path: string, { query, json, file }: Ask): Promise<Response | Refusal> {
    const token = this.token();
    const headers = new Headers(token === null ? {} : { authorization: `Bearer ${token}` });
    if (json !== undefined) headers.set('content-type', 'application/json');
    if (file) headers.set('content-type', file.type);
    const body = json === undefined ? file?.body : JSON.stringify(json);
    const init: RequestInit = { method, headers, cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) };
    if (body !== undefined) init.body = body;
    try {
      return await this.send(withQuery(path, query), init);
    } catch (error) {
      return unreachable(error instanceof Error ? error.message : String(error));
    }
  }
}

/** A path in which a name stands for itself, whatever is in it. */
export function path(parts: TemplateStringsArray, ...names: string[]): string {
  return parts.reduce((path, part, at) => `${path}${encodeURIComponent(names[at - 1] ?? '')}${part}`);
}

export function withQuery(path: string, query: Query = {}): string {
  const said = Object.entries(query).filter((pair) => pair[1] !== undefined && pair[1] !== '' && pair[1] !== false);
  const words = new URLSearchParams(said.map(([name, value]) => [name, String(value)]));
  return said.length > 0 ? `${path}?${words}` : path;
}

/** An answer by its status and text. What is no JSON, such as a proxy's page, is a refusal that says so. */
export function read<T>(status: number, text: string): Answer<T> {
  let body: unknown;
  try {
    body = text === '' ? {} : JSON.parse(text);
  } catch {
    return { ok: false, refusal: { status, code: 'unreadable', message: `${status}: ${text.slice(0, 80)}`, problems: [] } };
  }
  if (status >= 200 && status < 300) return { ok: true, value: body as T };
  return { ok: false, refusal: refusal(status, body) };
}

function refusal(status: number, body: unknown): Refusal {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Partial<Refusal> & { retry_after_ms?: number };
  const { code = 'refused', message = `the service answered ${status}`, problems = [], newest, report } = said;
  const refusal: Refusal = { status, code, message, problems };
  if (newest) refusal.newest = newest;
  if (report) refusal.report = report;
  if (said.retry_after_ms !== undefined) refusal.retryAfterMs = said.retry_after_ms;
  return refusal;
}

function unreachable(message: string): Refusal {
  return { status: 0, code: 'unreachable', message, problems: [] };
}
