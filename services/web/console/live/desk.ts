// One room as its moderators have it before them: river, queue, mode, who is muted, what the others did. Values change by what is heard;
// whom it is heard from, and what is asked, is kept out (`room`).

import { signal } from '@preact/signals';
import type { Hello, Message, Recall, State } from '@danmaku/client';
import type { Heard } from '../api/stream';
import type { Hold, InForce, Refused, Sanction } from '../api/shapes';
import { type Happening, userOf } from './happenings';
import { Queue } from './queue';
import { River } from './river';

/** Something that a moderator, or a viewer's report, did; with when it was heard. */
export type Deed = Exclude<Happening, { kind: 'hits' | 'held' | 'came_to' | 'gap' }> & { number: number; heard: number; about?: string; times?: number };

/** Who decides when nobody did in time. */
export const SYSTEM = 'danmaku';

/** A shift's worth to scroll back through; the whole is in the log. */
const DEEDS_MAX = 300;

/** Nobody reads a line that stands for less; and a storm of them costs no more than this. */
const DRAW_MS = 100;

export class Desk {
  readonly river = new River();
  readonly queue = new Queue();
  /** Rises when the river's lines are others; at most ten times a second. */
  readonly flow = signal(0);
  readonly waiting = signal<readonly Hold[]>([]);
  readonly mode = signal<InForce | undefined>(undefined);
  /** By subject, until when; 0 is for good. */
  readonly muted = signal<ReadonlyMap<string, number>>(new Map());
  /** The same, in every room. */
  readonly banned = signal<ReadonlyMap<string, number>>(new Map());
  readonly deeds = signal<readonly Deed[]>([]);
  readonly online = signal<number | undefined>(undefined);
  readonly wire = signal<State>({ kind: 'idle' });
  readonly stream = signal<Heard>('connecting');
  readonly hello = signal<Hello | undefined>(undefined);
  /** Chat that this page did not get, and verdicts it could not look through. */
  readonly missed = signal(0);
  /** Which list an entry was found on last. */
  readonly listOf = new Map<string, string>();
  private told = 0;
  private isDue = false;

  constructor(
    readonly room: string,
    readonly now: () => number = Date.now,
    private readonly soon: (draw: () => void) => void = (draw) => void setTimeout(() => requestAnimationFrame(draw), DRAW_MS),
  ) {}

  hear(messages: readonly Message[]): void {
    this.river.hear(messages);
    this.flows();
  }

  /** How many of them were new. */
  refuse(refusals: readonly Refused[]): number {
    const fresh = this.river.refuse(refusals);
    this.flows();
    return fresh;
  }

  holds(holds: readonly Hold[]): void {
    this.queue.reset(holds, this.now());
    for (const hold of holds) this.river.hold(hold);
    this.queued();
  }

  /** This moderator has decided; it goes before the service answers. */
  async deciding(hold: Hold, answered: Promise<unknown>): Promise<void> {
    this.queue.leave(hold.id, this.now());
    this.queued();
    await answered;
    this.queue.settle(hold.id);
  }

  mutes(standing: readonly Sanction[]): void {
    this.muted.value = untilOf(standing);
  }

  bans(standing: readonly Sanction[]): void {
    this.banned.value = untilOf(standing);
  }

  recalled(recall: Recall): void {
    this.river.recall(recall.ids);
    if (recall.user !== undefined) {
      this.river.recallOf(({ id, user, name }) => recall.matches({ id, user: { id: user, name, level: 0, badges: [] } }));
    }
  }

  /** What the moderators' stream tells. */
  happens(happening: Happening): void {
    const now = this.now();
    switch (happening.kind) {
      case 'held':
        return this.held(happening, now);
      case 'decided':
        this.river.decide(happening.id, happening.outcome, happening.by);
        this.queue.take(happening.id, now);
        this.queued();
        break;
      case 'came_to':
        return this.river.cameTo(happening.id, happening.verdict);
      case 'hits':
        return void this.listOf.set(happening.entry, happening.list);
      case 'sanction':
        this.sanctioned(happening);
        break;
      case 'mode':
        this.mode.value = { mode: happening.mode, by: happening.by, at_ms: now, ...endsOf(happening.ends_ms) };
        break;
      case 'recall':
        this.river.recall(happening.ids, happening.by);
        if (happening.user !== undefined) this.river.recallOf(({ user }) => user === happening.user, happening.by);
        break;
      case 'reported':
        this.river.report(happening.id, happening.reports);
        break;
      case 'broadcast':
        break;
      case 'gap':
        return;
    }
    const about = this.about(happening);
    this.tell({ ...happening, number: ++this.told, heard: now, ...(about === undefined ? {} : { about }) });
  }

  /** What ran out by itself, again and again, is one deed with a count. */
  private tell(deed: Deed): void {
    const [last, ...rest] = this.deeds.peek();
    const isAgain = last && ranOut(deed) && ranOut(last);
    const told = isAgain ? [{ ...deed, times: (last.times ?? 1) + 1 }, ...rest] : last ? [deed, last, ...rest] : [deed];
    this.deeds.value = told.slice(0, DEEDS_MAX);
  }

  isMuted(user: string, now = this.now()): boolean {
    const ends = [this.muted.value, this.banned.value].map((by) => by.get(`user/${user}`));
    return ends.some((until) => until !== undefined && (until === 0 || until > now));
  }

  private held({ id, user, name, text, rule, deadline_ms }: Extract<Happening, { kind: 'held' }>, now: number): void {
    const hold: Hold = { id, room: this.room, user, name, text, held_ms: now, deadline_ms, rule, hits: [], rules_version: 0 };
    this.queue.add(hold, now);
    this.river.hold(hold);
    this.queued();
  }

  private sanctioned({ act, subjects, until_ms }: Extract<Happening, { kind: 'sanction' }>): void {
    const all = act === 'ban' || act === 'unban' ? this.banned : this.muted;
    const standing = new Map(all.peek());
    for (const subject of subjects) {
      if (act === 'mute' || act === 'ban') standing.set(subject, until_ms);
      else standing.delete(subject);
    }
    all.value = standing;
  }

  /** What a deed was done to, in words that are still here when the line is gone. */
  private about(happening: Happening): string | undefined {
    if (happening.kind === 'decided') return this.river.find(happening.id)?.text;
    if (happening.kind === 'recall') return this.river.find(happening.ids[0] ?? '')?.text;
    if (happening.kind !== 'sanction') return undefined;
    const user = userOf(happening.subjects[0] ?? '');
    return this.river.lines.findLast((line) => line.user === user)?.name;
  }

  private queued(): void {
    this.waiting.value = this.queue.waiting;
    this.flows();
  }

  private flows(): void {
    if (this.isDue) return;
    this.isDue = true;
    this.soon(() => {
      this.isDue = false;
      this.flow.value += 1;
    });
  }
}

/** Nobody decided in time, so the room's rule did. */
export function ranOut(deed: Deed): boolean {
  return deed.kind === 'decided' && deed.by === SYSTEM;
}

function untilOf(standing: readonly Sanction[]): ReadonlyMap<string, number> {
  return new Map(standing.map(({ subject, until_ms }) => [subject, until_ms ?? 0]));
}

function endsOf(ends_ms: number): { ends_ms?: number } {
  return ends_ms > 0 ? { ends_ms } : {};
}
