// The panel behind the delay: how long a danmaku takes from stamp to stamp. It measures nothing, and asks only while open.

import { Fold, piece } from './dom.js';
import type { Words } from './words.js';

const EVERY_MS = 2_000;
const ANSWER_MS_MAX = 5_000;

export interface Hop {
  hop: string;
  p50_ms: number | null;
  p99_ms: number | null;
}

/** What the server says of its hops, or who keeps them: `elsewhere`; or nobody: `silent`. */
export type Seen = { kind: 'shown'; overMs: number; hops: Hop[] } | { kind: 'elsewhere' | 'silent'; hops: [] };

export type Ask = (url: string) => Promise<Pick<Response, 'status' | 'ok' | 'json'>>;

export interface HopsParts {
  button: HTMLElement;
  panel: HTMLElement;
  table: HTMLTableElement;
  note: HTMLElement;
  close: HTMLElement;
}

interface Row {
  half: HTMLElement;
  most: HTMLElement;
  p50: HTMLElement;
  p99: HTMLElement;
}

export class Hops {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0; // an answer to an older turn is void
  #rows = new Map<string, Row>();

  /** `ask(url)` is fetch unless a test brings another. */
  constructor(
    private readonly parts: HopsParts,
    private readonly words: Words,
    private readonly ask: Ask = fetchSoon,
  ) {
    const fold = new Fold(parts.button, parts.panel, (isOpen) => this.#opened(isOpen));
    parts.close.addEventListener('click', () => fold.open(false));
  }

  #opened(isOpen: boolean): void {
    clearTimeout(this.#timer);
    this.#turn += 1;
    if (isOpen) void this.#ask(this.#turn);
  }

  async #ask(turn: number): Promise<void> {
    const seen = document.hidden ? null : await look(this.ask);
    if (turn !== this.#turn) return;
    if (seen) this.#show(seen);
    // Who keeps it to himself now will do so in two seconds.
    if (seen?.kind !== 'elsewhere') this.#timer = setTimeout(() => void this.#ask(turn), EVERY_MS);
  }

  #show(seen: Seen): void {
    const { panel, table, note } = this.parts;
    const { hops: words } = this.words;
    panel.dataset.kind = seen.kind;
    table.hidden = seen.kind === 'elsewhere';
    note.textContent = seen.kind === 'shown' ? words.over(Math.round(seen.overMs / 1000)) : words[seen.kind];
    for (const row of rowsOf(seen.hops)) this.#draw(row);
  }

  #draw({ hop, p50, p99, half, most }: ReturnType<typeof rowsOf>[number]): void {
    const row = this.#row(hop);
    row.half.style.width = `${half}%`;
    row.most.style.width = `${most}%`;
    row.p50.textContent = this.words.milliseconds(p50);
    row.p99.textContent = this.words.milliseconds(p99);
  }

  #row(hop: string): Row {
    const known = this.#rows.get(hop);
    if (known) return known;
    const name = piece('th', '', this.words.hops.names[hop] ?? hop);
    name.setAttribute('scope', 'row');
    const row = {
      most: piece('i', 'is-most'),
      half: piece('i', 'is-half'),
      p50: piece('td', ''),
      p99: piece('td', ''),
    };
    const bar = piece('td', 'hop-bar', row.most, row.half);
    bar.setAttribute('aria-hidden', 'true');
    this.parts.table.tBodies[0]?.append(piece('tr', '', name, bar, row.p50, row.p99));
    this.#rows.set(hop, row);
    return row;
  }
}

export async function look(ask: Ask): Promise<Seen> {
  try {
    const answer = await ask('/dev/hops');
    if (answer.status === 403 || answer.status === 404) return { kind: 'elsewhere', hops: [] };
    const { over_ms: overMs, hops }: { over_ms?: number; hops?: Hop[] } = answer.ok ? await answer.json() : {};
    return Array.isArray(hops) ? { kind: 'shown', overMs: overMs ?? 0, hops } : { kind: 'silent', hops: [] };
  } catch {
    return { kind: 'silent', hops: [] };
  }
}

/** A row for each hop, its bars in per cent of the slowest hop's 99th percentile. */
export function rowsOf(hops: readonly Hop[]) {
  const slowest = Math.max(0, ...hops.map((one) => one.p99_ms ?? 0));
  const share = (ms: number | null) => (slowest > 0 ? Math.min(100, (100 * (ms ?? 0)) / slowest) : 0);
  return hops.map(({ hop, p50_ms: p50, p99_ms: p99 }) => ({ hop, p50, p99, half: share(p50), most: share(p99) }));
}

const fetchSoon: Ask = (url) => fetch(url, { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS_MAX) });
