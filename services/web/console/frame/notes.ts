// What was just done, said once, with the way back where there is one. Bounded: who acts fast sees the last few.

import { signal } from '@preact/signals';

export interface Note {
  id: number;
  tone: 'done' | 'no';
  text: string;
  /** What may be taken back, and how; gone once it was. */
  undo?: () => Promise<void>;
}

const NOTES_MAX = 4;
/** Long enough to see a wrong name and reach the key. */
const DONE_MS = 12_000;
const NO_MS = 20_000;

export class Notes {
  readonly shown = signal<readonly Note[]>([]);
  private last = 0;

  say(text: string, tone: Note['tone'] = 'done', undo?: () => Promise<void>): void {
    const id = ++this.last;
    const note: Note = undo ? { id, tone, text, undo } : { id, tone, text };
    this.shown.value = [...this.shown.peek(), note].slice(-NOTES_MAX);
    setTimeout(() => this.drop(id), tone === 'no' ? NO_MS : DONE_MS);
  }

  drop(id: number): void {
    this.shown.value = this.shown.peek().filter((note) => note.id !== id);
  }

  /** Takes back this one, or the last that can be. */
  async undo(id?: number): Promise<void> {
    const note = this.shown.peek().findLast((note) => note.undo && (id === undefined || note.id === id));
    if (!note?.undo) return;
    this.drop(note.id);
    await note.undo();
  }
}
