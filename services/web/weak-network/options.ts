// The command line.

import { parseArgs } from 'node:util';

export interface Options {
  /** Of each kind of client, spread over the networks. */
  sessions: number;
  minutes: number;
  seed: string;
  /** How many connections the program lets a user have. */
  places: number;
  json: boolean;
  /** Where each session's plan, log and verdict go, a line of JSON each. */
  trace: string | undefined;
  /** Whether this process has a network namespace of its own, so that packets may be lost in it. */
  ownNetwork: boolean;
  binary: string;
}

export const USAGE = `usage: make weak-network ARGS="…"
  --sessions N   sessions of each client, spread over the networks (200)
  --minutes N    how long each of them lasts (5; 1 at least)
  --seed TEXT    which faults befall them, and when (1)
  --places N     connections that the server lets a user have, the newest ones; 0 is any number (0)
  --json         the figures as JSON
  --trace FILE   each session's plan, log and verdict, as a line of JSON
DANMAKU_BIN names the program (target/release/danmaku).`;

export function options(words: readonly string[], environment: Record<string, string | undefined>): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      sessions: { type: 'string', default: '200' },
      minutes: { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
      places: { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
      trace: { type: 'string' },
      'own-network': { type: 'boolean', default: false },
    },
  });
  return {
    sessions: number('sessions', values.sessions, 1, 5_000),
    minutes: number('minutes', values.minutes, 1, 60),
    seed: values.seed,
    places: number('places', values.places, 0, 100),
    json: values.json,
    trace: values.trace,
    ownNetwork: values['own-network'],
    binary: environment.DANMAKU_BIN ?? 'target/release/danmaku',
  };
}

function number(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!(value >= least && value <= most)) throw new Error(`--${name} is a number from ${least} to ${most}, not "${text}"`);
  return value;
}
