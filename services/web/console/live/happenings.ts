// What the moderators' stream tells, as values. Pure. What is unknown or broken is passed over: a newer service may tell more.

import type { StreamEvent } from '../api/events';
import type { Mode } from '../api/shapes';

export type Happening =
  | { kind: 'held'; id: string; user: string; name: string; text: string; code: string; rule: string; deadline_ms: number }
  | { kind: 'decided'; id: string; outcome: string; by: string; reason: string; edited: boolean }
  | { kind: 'came_to'; id: string; verdict: string; code: string }
  | { kind: 'hits'; entry: string; list: string; category: string; hits: number; observed: number; last_id: string }
  | { kind: 'sanction'; act: string; subjects: string[]; until_ms: number; by: string; reason: string }
  | { kind: 'mode'; mode: Mode; ends_ms: number; by: string; reason: string }
  | { kind: 'recall'; ids: string[]; user?: string; count: number; by: string; reason: string }
  | { kind: 'reported'; id: string; reports: number; user?: string; text?: string; reason: string }
  | { kind: 'broadcast'; state: string; mutes_ended: number }
  /** Events were missed that are not kept any more. */
  | { kind: 'gap' };

/** What each kind must bring to be one. */
const NEEDED: Record<Happening['kind'], Record<string, 'string' | 'number' | 'object'>> = {
  held: { id: 'string', user: 'string', text: 'string', deadline_ms: 'number' },
  decided: { id: 'string', outcome: 'string', by: 'string' },
  came_to: { id: 'string', verdict: 'string' },
  hits: { entry: 'string', list: 'string', hits: 'number' },
  sanction: { act: 'string', subjects: 'object', by: 'string' },
  mode: { mode: 'object', by: 'string' },
  recall: { ids: 'object', by: 'string' },
  reported: { id: 'string', reports: 'number' },
  broadcast: { state: 'string' },
  gap: {},
};

export function happening(event: StreamEvent): Happening | undefined {
  if (!Object.hasOwn(NEEDED, event.kind)) return undefined;
  const kind = event.kind as Happening['kind'];
  let body: unknown;
  try {
    body = JSON.parse(event.data);
  } catch {
    return undefined;
  }
  if (typeof body !== 'object' || body === null) return undefined;
  const said = body as Record<string, unknown>;
  const isWhole = Object.entries(NEEDED[kind]).every(([name, type]) => typeof said[name] === type && said[name] !== null);
  return isWhole ? ({ ...said, kind } as Happening) : undefined;
}

/** The user that a subject names, if it names one. */
export function userOf(subject: string): string | undefined {
  return subject.startsWith('user/') ? subject.slice('user/'.length) : undefined;
}
