// The real program, quiet and on free ports, with its data in a folder that goes with it.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * As it comes, but for three limits: all senders share an address, who comes back says in one go what waited, and what one says
 * differs by a number only.
 */
const LIMITS = ['--door-address-rate', '0', '--say-rate', '0', '--similar-window', '0'];
const FLAGS = ['--crowd', '0', '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0', ...LIMITS];

export class Program {
  private constructor(
    readonly address: { host: string; port: number },
    readonly admin: string,
  ) {}

  static async start(binary: string, flags: readonly string[], readyMs = 60_000): Promise<Program> {
    const folder = mkdtempSync(join(tmpdir(), 'danmaku-weak-'));
    // In a group of its own: Ctrl-C is for the rig, and the program ends with it.
    const program = spawn(binary, [...FLAGS, ...flags, '--data', folder], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    process.once('exit', () => {
      program.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    });
    const ready = await firstLine(program, readyMs);
    const [host = '', port = ''] = ready.public.split(':');
    return new Program({ host, port: Number(port) }, ready.admin);
  }

  async token(name: string): Promise<string> {
    const answer = await fetch(`http://${this.address.host}:${this.address.port}/dev/token?name=${encodeURIComponent(name)}`);
    return ((await answer.json()) as { token: string }).token;
  }

  /** How many connections the program itself counts. */
  async viewers(): Promise<number> {
    const text = await (await fetch(`http://${this.admin}/metrics`)).text();
    const lines = text.matchAll(/^danmaku_fanout_viewers(?:\{[^}]*\})? (\d+)/gm);
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
  }
}

async function firstLine(program: ChildProcess, readyMs: number): Promise<{ public: string; admin: string }> {
  if (!program.stdout) throw new Error('the program has no stdout');
  const lines = createInterface({ input: program.stdout });
  return new Promise((done, failed) => {
    const timer = setTimeout(() => failed(new Error(`the program is not ready after ${readyMs} ms`)), readyMs);
    program.once('error', failed);
    program.once('exit', (code) => failed(new Error(`the program ended with ${code}`)));
    lines.once('line', (line) => {
      clearTimeout(timer);
      done(JSON.parse(line) as { public: string; admin: string });
    });
  });
}
