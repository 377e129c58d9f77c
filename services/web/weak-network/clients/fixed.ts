// A client as many are: while it has no connection it tries each second, and stays with the first that comes in. What comes in later it
// leaves open: the field's report counts 256 connections of 200 such sessions. It has no cursor; what it says while it is away waits, what it
// said just before is not said again, and what comes twice is shown once.

import type { Make } from './client.js';
import { Line } from './line.js';

const AGAIN_MS = 1_000;

/** A ping each 10 s, and 15 s for an answer: the most attentive that is common among such clients. */
const PATIENCE = { connectMs: 10_000, pingMs: 10_000, answerMs: 15_000 };

export const fixed: Make = (where, ear) => {
  let line: Line | undefined;
  const lines = new Set<Line>();
  let again: NodeJS.Timeout | undefined;
  const waiting: string[] = [];
  const shown = new Set<string>();

  function attempt(): void {
    const own: Line = new Line(where, { up: () => up(own), down: (why) => down(own, why), seen: ({ id, text }) => show(id, text) }, PATIENCE);
    lines.add(own);
  }

  function up(own: Line): void {
    if (line) return;
    line = own;
    clearInterval(again);
    ear.up();
    for (const text of waiting.splice(0)) line.say(text);
  }

  function down(own: Line, why: string): void {
    lines.delete(own);
    if (own !== line) return;
    line = undefined;
    ear.down(why);
    again = setInterval(attempt, AGAIN_MS);
  }

  function show(id: string, text: string): void {
    if (!shown.has(id)) ear.seen({ id, text });
    shown.add(id);
  }

  return {
    connect() {
      attempt();
      again = setInterval(attempt, AGAIN_MS);
    },
    say: (text) => (line ? line.say(text) : void waiting.push(text)),
    close() {
      clearInterval(again);
      for (const one of lines) one.close();
    },
  };
};
