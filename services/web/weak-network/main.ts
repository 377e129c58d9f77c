// What `make weak-network` runs: reads the command line, tells on stderr how it goes, and prints the figures on stdout.

import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { whyNoLoss } from './air.js';
import { KINDS } from './clients/index.js';
import { options, USAGE, type Options } from './options.js';
import { doubts, judged, promises, rows, table } from './report.js';
import { peakName, Run, type Outcome } from './run.js';

const PROGRESS_MS = 5_000;

function say(text: string): void {
  process.stderr.write(`weak-network: ${text}\n`);
}

function readOptions(): Options {
  const words = process.argv.slice(2);
  if (words.includes('--help')) {
    console.log(USAGE);
    process.exit();
  }
  try {
    return options(words, process.env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${USAGE}\n`);
    process.exit(2);
  }
}

function withLoss({ ownNetwork }: Options): boolean {
  const why = ownNetwork ? whyNoLoss() : 'only root may make a network namespace here';
  if (why !== undefined) say(`no packet is lost (${why}): this is the proxy's part alone, delays, stalls, silences and moves`);
  return why === undefined;
}

/** Each few seconds one line, and the heaviest load there was. */
function watch(run: Run, minutes: number): { end: () => { load: number; viewers: number } } {
  const most = { load: 0, viewers: 0 };
  const look = async () => {
    most.load = Math.max(most.load, loadavg()[0] ?? 0);
    const viewers = await run.program.viewers().catch(() => 0);
    most.viewers = Math.max(most.viewers, viewers);
    const open = KINDS.map((kind) => `${kind} ${run.peaks.get(peakName(kind))?.open ?? 0}`).join(', ');
    if (run.now() > 0) say(`${Math.round(run.now() / 1000)} of ${minutes * 60} s, connections: ${open} (the program counts ${viewers}), load ${loadavg()[0]?.toFixed(1)}`);
  };
  const timer = setInterval(() => void look(), PROGRESS_MS);
  return {
    end() {
      clearInterval(timer);
      return most;
    },
  };
}

function print(asked: Options, outcome: Outcome, most: { load: number; viewers: number }): boolean {
  const sessions = judged(outcome);
  if (asked.trace !== undefined) writeFileSync(asked.trace, sessions.map((session) => `${JSON.stringify(session)}\n`).join(''));
  const figures = rows(sessions, outcome);
  const kept = promises(figures);
  const said = doubts(outcome, most.load);
  if (asked.json) console.log(JSON.stringify({ ...asked, ...most, rows: figures, promises: kept, doubts: said }, null, 2));
  else console.log([table(figures), '', ...kept.map(({ text, kept }) => `${kept ? 'kept' : 'NOT KEPT'}: ${text}`), ...said].join('\n'));
  return kept.every(({ kept }) => kept);
}

async function main(): Promise<boolean> {
  const asked = readOptions();
  const loss = withLoss(asked);
  say(`${KINDS.length} × ${asked.sessions} sessions of ${asked.minutes} min, seed ${asked.seed}`);
  const run = await Run.prepare(asked, loss);
  const watched = watch(run, asked.minutes);
  const outcome = await run.go();
  return print(asked, outcome, watched.end());
}

process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
try {
  process.exit((await main()) ? 0 : 1);
} catch (error) {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
}
