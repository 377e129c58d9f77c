// A client that never comes back: one connection, and what happens to it happens to the session.

import type { Make } from './client.js';
import { Line } from './line.js';

const PATIENCE = { connectMs: Infinity, pingMs: 30_000, answerMs: Infinity };

export const none: Make = (where, ear) => {
  let line: Line | undefined;
  return {
    connect: () => (line = new Line(where, ear, PATIENCE)),
    say: (text) => line?.say(text),
    close: () => line?.close(),
  };
};
