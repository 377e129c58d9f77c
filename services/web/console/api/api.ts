// Every question this page asks the service, by name. What comes of an answer is kept out.

import { type Answer, type Client, path, type Query } from './client';
import type * as Shape from './shapes';

/** A book: a room's own, or the one that holds everywhere. */
export type Scope = string | undefined;

/** Which version was looked at: if there is a newer one, nothing is done. */
export interface Based {
  base_version?: number;
  reason?: string;
}
export interface EditList extends Based {
  add?: (string | Partial<Shape.Entry>)[];
  remove?: string[];
  change?: Shape.Entry[];
  sample?: string[];
  force?: boolean;
  dry_run?: boolean;
}
export interface Import extends Based {
  room?: string | undefined;
  format: 'txt' | 'csv' | 'houbb';
  kind: Shape.Kind;
  category: string;
  severity: number;
  action: Shape.Action;
  replace: boolean;
  force: boolean;
  dry_run: boolean;
}
export interface Impose {
  subject: string;
  seconds?: number;
  permanent?: boolean;
  broadcast?: boolean;
  also?: ('device' | 'address')[];
  room?: string;
  reason?: string;
}
export interface TryTexts {
  text?: string;
  texts?: string[];
  room?: string | undefined;
  name?: string;
  role?: string;
  drafts?: string[];
  version?: number;
}
export interface BackTest {
  minutes: number;
  list?: string;
  entries?: Partial<Shape.Entry>[];
}

const BOOK = '/v1/moderation';
const room = (name: string, rest: string) => path`/v1/moderation/rooms/${name}/` + rest;

export class Api {
  constructor(readonly client: Client) {}

  private get<T>(path: string, query?: Query): Promise<Answer<T>> {
    return this.client.ask<T>('GET', path, query ? { query } : {});
  }
  private post<T>(path: string, json: unknown, query?: Query): Promise<Answer<T>> {
    return this.client.ask<T>('POST', path, query ? { json, query } : { json });
  }

  // The book
  lists = (scope: Scope) => this.get<Shape.Lists>(`${BOOK}/lists`, { room: scope });
  putList = (scope: Scope, list: string, json: { mode: Shape.ListMode; comment: string }, why: Based) =>
    this.client.ask<Shape.Stamp>('PUT', path`/v1/moderation/lists/${list}`, { json, query: { room: scope, ...why } });
  dropList = (scope: Scope, list: string, why: Based) =>
    this.client.ask<Shape.Stamp>('DELETE', path`/v1/moderation/lists/${list}`, { query: { room: scope, ...why } });
  entries = (scope: Scope, list: string, which: { find?: string; after?: string; limit?: number }) =>
    this.get<Shape.Entries>(path`/v1/moderation/lists/${list}/entries`, { room: scope, ...which });
  edit = (scope: Scope, list: string, edit: EditList) =>
    this.post<Shape.Edited>(path`/v1/moderation/lists/${list}/entries`, edit, { room: scope });
  import = (list: string, file: Blob, how: Import) =>
    this.client.ask<Shape.Edited>('POST', path`/v1/moderation/lists/${list}/import`, {
      query: { ...how },
      file: { body: file, type: 'application/octet-stream' },
    });
  export = (scope: Scope, list: string, format: string) =>
    this.client.file(path`/v1/moderation/lists/${list}/export`, { room: scope, format });

  // Versions
  versions = (scope: Scope, limit = 50) => this.get<Shape.Versions>(`${BOOK}/versions`, { room: scope, limit });
  diff = (scope: Scope, from: number, to?: number) => this.get<Shape.Diff>(`${BOOK}/diff`, { room: scope, from, to });
  rollback = (scope: Scope, to: number, why: Based) =>
    this.post<Shape.Stamp>(`${BOOK}/rollback`, { to, ...why }, { room: scope });

  // Trying
  dryRun = (texts: TryTexts) => this.post<Shape.Outcome>(`${BOOK}/dry-run`, texts);
  backTest = (name: string, test: BackTest) => this.post<Shape.Tested>(room(name, 'back-test'), test);
  statistics = (limit = 1000) => this.get<{ entries: Shape.EntryNumbers[] }>(`${BOOK}/statistics`, { limit });

  // While it is live
  holds = (name: string, decided = false) =>
    this.get<{ holds: Shape.Hold[] }>(`${BOOK}/holds`, { room: name, decided, limit: decided ? 20 : 200 });
  hold = (id: string) => this.get<Shape.Hold>(path`/v1/moderation/holds/${id}`);
  approve = (id: string, text?: string) =>
    this.post<Shape.Hold>(path`/v1/moderation/holds/${id}/approve`, text === undefined ? {} : { text });
  reject = (id: string) => this.post<Shape.Hold>(path`/v1/moderation/holds/${id}/reject`, {});
  refusals = (name: string, limit: number) =>
    this.get<{ refusals: Shape.Refused[] }>(`${BOOK}/refusals`, { room: name, limit });
  reports = (name: string) => this.get<{ messages: Shape.ReportedMessage[] }>(room(name, 'reports'));
  mute = (name: string, impose: Impose) => this.post<Shape.Sanctions>(room(name, 'mutes'), impose);
  unmute = (name: string, subject: string) =>
    this.client.ask<Shape.Sanctions>('DELETE', room(name, 'mutes'), { query: { subject } });
  mutes = (name: string) => this.get<Shape.Sanctions>(room(name, 'mutes'), { limit: 1000 });
  ban = (impose: Impose) => this.post<Shape.Sanctions>(`${BOOK}/bans`, impose);
  unban = (subject: string) => this.client.ask<Shape.Sanctions>('DELETE', `${BOOK}/bans`, { query: { subject } });
  bans = () => this.get<Shape.Sanctions>(`${BOOK}/bans`, { limit: 1000 });
  recall = (name: string, ids: string[]) =>
    this.post<{ count?: number; ids: string[]; whole: boolean }>(room(name, 'recall'), { ids });
  recallOf = (name: string, user: string, seconds: number) =>
    this.post<{ count?: number; ids: string[]; whole: boolean }>(room(name, 'recall'), { user, seconds });

  // How a room may be spoken in
  mode = (name: string) => this.get<Shape.InForce>(room(name, 'mode'));
  setMode = (name: string, mode: Shape.Mode, lasts_s?: number) =>
    this.client.ask<Shape.InForce>('PUT', room(name, 'mode'), {
      json: lasts_s === undefined ? { mode } : { mode, lasts_s },
    });
  shield = (name: string, minutes: number) => this.post<Shape.InForce>(room(name, 'shield'), { minutes });
  lower = (name: string) => this.client.ask<Shape.InForce>('DELETE', room(name, 'shield'));
  holding = (name: string) => this.get<Shape.HoldRule>(room(name, 'holding'));
  setHolding = (name: string, json: Shape.HoldRule) =>
    this.client.ask<Shape.HoldRule>('PUT', room(name, 'holding'), { json });
  broadcast = (name: string, state: 'started' | 'ended') =>
    this.post<{ mutes: number; entries: number }>(room(name, 'broadcast'), { state });

  // The record
  audit = (scope: Scope, after: number) =>
    this.get<{ rows: Shape.AuditRow[] }>(`${BOOK}/audit`, { room: scope, after, limit: 1000 });
  verify = () => this.get<Shape.Verified>(`${BOOK}/audit/verify`);
  auditFile = () => this.client.file(`${BOOK}/audit/export`);
  filters = () => this.get<Shape.Filters>(`${BOOK}/filters`);
  where = (name: string) => this.get<unknown>(path`/v1/rooms/${name}/where`);
}
