// What was said in a room, with what became of it: from the public wire, and what the public never saw from the moderators' service.
// Pure but for the signals that tell a row of its own change. Who draws it is kept out (`river-view`).

import { type Signal, signal } from '@preact/signals';
import type { Message } from '@danmaku/client';
import type { Found, Hold, Refused } from '../api/shapes';
import { cut, NAME_UNITS_MAX } from './text';

/** What became of a message, and why. */
export interface Fate {
  verdict: string;
  code?: string;
  /** The entry that decided. */
  rule?: string;
  hits?: Found[];
  /** Which book judged it. */
  version?: number;
  /** Who decided on it, if it was held. */
  by?: string;
  /** As the room sees it, where that is not what was said. */
  shown?: string;
  /** As it was said, where a moderator changed it before letting it through. */
  said?: string;
  deadlineMs?: number;
  /** Taken back, by whom; empty where nobody said. */
  recalledBy?: string;
  reports?: number;
}

export interface Line {
  id: string;
  at: number;
  user: string;
  name: string;
  level: number;
  text: string;
  kind: Message['kind'];
  edited: boolean;
  fate: Signal<Fate>;
}

/** At 1 KB a line 2 MB; at 20 messages a second the last minute and a half. */
export const LINES_MAX = 2_000;
/** Recalls are remembered for lines that are still on their way. */
const RECALLED_MAX = 500;

export class River {
  /** By the time they were accepted, the oldest first. Replaced, never changed in place. */
  lines: readonly Line[] = [];
  /** How many ever came. */
  total = 0;
  private readonly byId = new Map<string, Line>();
  /** The service tells refusals by user alone; people know names. */
  private readonly names = new Map<string, string>();
  private readonly recalled = new Map<string, string>();

  constructor(private readonly most = LINES_MAX) {}

  /** Messages from the public wire. */
  hear(messages: readonly Message[]): void {
    this.add(messages.filter((message) => !this.merge(message)).map((message) => this.said(message)));
  }

  /** What was not shown as it was said, the newest first as the service tells it. How many were new. */
  refuse(refusals: readonly Refused[]): number {
    const fresh: Line[] = [];
    for (const { id, user, at_ms: at, verdict, code, rule, text } of refusals) {
      const line = this.byId.get(id);
      if (!line) fresh.push(this.line({ id, at, user, name: this.names.get(user) ?? user, text }, { verdict, code, rule }));
      else if (line.fate.peek().verdict !== verdict) this.judge(line, { verdict, code, rule }, text);
    }
    this.add(fresh.reverse());
    return fresh.length;
  }

  /** A message that waits for a moderator. */
  hold({ id, user, name, text, held_ms: at, deadline_ms: deadlineMs, rule, hits, rules_version: version }: Hold): void {
    const fate: Fate = { verdict: 'held', code: 'held', rule, hits, version, deadlineMs };
    const line = this.byId.get(id);
    if (line) this.change(line, fate);
    else this.add([this.line({ id, at, user, name, text }, fate)]);
  }

  decide(id: string, verdict: string, by: string): void {
    this.on(id, { verdict, by });
  }

  /** What the judge made of a decision. */
  cameTo(id: string, verdict: string): void {
    this.on(id, { verdict });
  }

  report(id: string, reports: number): void {
    this.on(id, { reports });
  }

  /** Both the room and the moderators' stream tell of it, and only the second says by whom. */
  recall(ids: readonly string[], by = ''): void {
    for (const id of ids) {
      const known = this.recalled.get(id) || by;
      this.recalled.set(id, known);
      this.on(id, { recalledBy: known });
    }
    for (const id of this.recalled.keys()) {
      if (this.recalled.size <= RECALLED_MAX) break;
      this.recalled.delete(id);
    }
  }

  /** All that a user said so far. */
  recallOf(matches: (line: Line) => boolean, by = ''): void {
    for (const line of this.lines) if (matches(line)) this.change(line, { recalledBy: line.fate.peek().recalledBy || by });
  }

  find(id: string): Line | undefined {
    return this.byId.get(id);
  }

  /** A public message whose line came from the service first: the room may see another text. */
  private merge(message: Message): boolean {
    const line = this.byId.get(message.id);
    if (!line) return false;
    const name = message.user?.name;
    if (name !== undefined) line.name = cut(name, NAME_UNITS_MAX);
    if (message.edited) this.edit(line, cut(message.text));
    else if (message.text !== line.text) this.change(line, { shown: cut(message.text) });
    return true;
  }

  private edit(line: Line, text: string): void {
    const said = line.edited ? (line.fate.peek().said ?? '') : line.text;
    Object.assign(line, { text, edited: true });
    // What was found stood in the other text.
    this.change(line, { said, hits: [] });
  }

  private said(message: Message): Line {
    const { id, at, user, kind, edited } = message;
    const line = this.line({ id, at, user: user?.id ?? '', name: user?.name ?? '', text: wordsOf(message) }, { verdict: 'passed' });
    this.know(line);
    return Object.assign(line, { kind, edited, level: user?.level ?? 0 });
  }

  private know({ user, name }: Line): void {
    this.names.delete(user);
    this.names.set(user, name);
    const [oldest] = this.names.keys();
    if (this.names.size > this.most && oldest !== undefined) this.names.delete(oldest);
  }

  private line(said: Pick<Line, 'id' | 'at' | 'user' | 'name' | 'text'>, fate: Fate): Line {
    const by = this.recalled.get(said.id);
    if (by !== undefined) fate.recalledBy = by;
    const { id, at, user, name, text } = said;
    const shown = { id, at, user, name: cut(name, NAME_UNITS_MAX), text: cut(text) };
    return { ...shown, level: 0, kind: 'chat', edited: false, fate: signal(fate) };
  }

  /** A verdict on a line that the room has seen: what the room saw is kept beside what was said. */
  private judge(line: Line, fate: Fate, said: string): void {
    const text = cut(said);
    if (text !== line.text) fate.shown = line.text;
    line.text = text;
    this.change(line, fate);
  }

  private on(id: string, change: Partial<Fate>): void {
    const line = this.byId.get(id);
    if (line) this.change(line, change);
  }

  private change(line: Line, change: Partial<Fate>): void {
    line.fate.value = { ...line.fate.peek(), ...change };
  }

  /** Nearly all come at the end; what the service tells late goes where it was said. */
  private add(fresh: readonly Line[]): void {
    if (fresh.length === 0) return;
    const lines = [...this.lines];
    for (const line of fresh) {
      if (this.byId.has(line.id)) continue;
      let place = lines.length;
      while (place > 0 && (lines[place - 1]?.at ?? 0) > line.at) place -= 1;
      lines.splice(place, 0, line);
      this.byId.set(line.id, line);
      this.total += 1;
    }
    for (const gone of lines.splice(0, Math.max(0, lines.length - this.most))) this.byId.delete(gone.id);
    this.lines = lines;
  }
}

/** What a message says; a gift says what it is and how many. */
function wordsOf({ kind, text, event, data }: Message): string {
  if (kind !== 'gift' || typeof data !== 'object' || data === null) return text || event || '';
  const { name, gift, count } = data as Record<string, unknown>;
  return `${text} ${String(name ?? gift ?? '')} ×${String(count ?? 1)}`.trim();
}
