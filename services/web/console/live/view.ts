// What of the river a moderator looks at: it stands still while he looks, and says how much came meanwhile. Pure but for its signals.

import { computed, signal } from '@preact/signals';
import type { Line, River } from './river';

/** Why the river stands still. */
export type Why = 'hover' | 'chosen' | 'scrolled';
export type Show = 'all' | 'judged' | 'reported';
export type Chosen = { kind: 'line' | 'held'; id: string };

export class View {
  readonly chosen = signal<Chosen | undefined>(undefined);
  readonly show = signal<Show>('all');
  readonly find = signal('');
  private readonly reasons = signal<ReadonlySet<Why>>(new Set());
  private frozen: { lines: readonly Line[]; total: number } | undefined;

  /** The strongest reason it stands still for, if any. */
  readonly why = computed<Why | undefined>(() =>
    (['chosen', 'scrolled', 'hover'] as const).find((why) => this.reasons.value.has(why)),
  );

  /** A river that has not begun cannot be looked at, so it does not stand still. */
  pause(why: Why, river: River): void {
    if (river.total === 0) return;
    this.frozen ??= { lines: river.lines, total: river.total };
    if (!this.reasons.peek().has(why)) this.reasons.value = new Set([...this.reasons.peek(), why]);
  }

  resume(why: Why): void {
    if (!this.reasons.peek().has(why)) return;
    const reasons = new Set(this.reasons.peek());
    reasons.delete(why);
    if (reasons.size === 0) this.frozen = undefined;
    this.reasons.value = reasons;
  }

  /** To the end, whatever it stood still for. The pointer may rest where it is. */
  now(): void {
    this.chosen.value = undefined;
    this.frozen = undefined;
    this.reasons.value = new Set();
  }

  choose(chosen: Chosen | undefined, river: River): void {
    this.chosen.value = chosen;
    if (chosen?.kind === 'line') this.pause('chosen', river);
    else this.resume('chosen');
  }

  /** What is seen, the oldest first. */
  lines(river: River): readonly Line[] {
    const lines = this.frozen?.lines ?? river.lines;
    const [show, find] = [this.show.value, this.find.value.trim().toLowerCase()];
    if (show === 'all' && find === '') return lines;
    return lines.filter((line) => fits(line, show) && (find === '' || holds(line, find)));
  }

  /** How much came since it stands still. */
  fresh(river: River): number {
    return this.frozen ? river.total - this.frozen.total : 0;
  }

  /** The line so far from the chosen one; the last where none is chosen. */
  step(by: 1 | -1, lines: readonly Line[]): Line | undefined {
    const chosen = this.chosen.peek();
    const at = chosen?.kind === 'line' ? lines.findIndex(({ id }) => id === chosen.id) : -1;
    if (at < 0) return lines.at(-1);
    return lines[Math.max(0, Math.min(lines.length - 1, at + by))];
  }
}

function fits(line: Line, show: Show): boolean {
  const { verdict, reports, recalledBy } = line.fate.peek();
  if (show === 'reported') return (reports ?? 0) > 0;
  return show === 'all' || verdict !== 'passed' || recalledBy !== undefined || (reports ?? 0) > 0;
}

function holds({ name, user, text }: Line, find: string): boolean {
  return [name, user, text].some((part) => part.toLowerCase().includes(find));
}
