// The true program under test: everything in one process on its embedded broker, on a free port, with a folder of its own.

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = resolve(import.meta.dirname, '../../../..');
/** A program on a busy machine; an idle one is there within two seconds. */
const START_MS = 30_000;
/** The end of its log, for whoever looks why it did not start. */
const LOG_MAX = 4_000;

export class Program {
  private constructor(
    private readonly child: ChildProcess,
    private readonly data: string,
    private readonly address: string,
    /** Where operators ask it. */
    readonly admin: string,
  ) {}

  static async start(flags: readonly string[] = []): Promise<Program> {
    return Program.on('127.0.0.1:0', await mkdtemp(join(tmpdir(), 'danmaku-browser-')), flags);
  }

  /** The next life at the same address with the same folder, once this one is over. */
  again(): Promise<Program> {
    return Program.on(this.address, this.data, ['--crowd', '0']);
  }

  get url(): string {
    return `http://${this.address}`;
  }

  /** Resolves when it is gone. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill(signal);
    await gone;
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    await rm(this.data, { recursive: true, force: true });
  }

  private static async on(listen: string, data: string, flags: readonly string[]): Promise<Program> {
    const where = ['--listen', listen, '--admin', '127.0.0.1:0', '--data', data];
    const child = spawn(binary(), [...where, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      const { public: address, admin } = await ready(child);
      return new Program(child, data, address, `http://${admin}`);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }
}

function binary(): string {
  const places = [process.env.DANMAKU_BIN, join(ROOT, 'target/debug/danmaku'), join(ROOT, 'target/release/danmaku')];
  const found = places.find((place) => place !== undefined && existsSync(place));
  if (found === undefined) throw new Error('there is no program: make e2e-browser builds one, DANMAKU_BIN names another');
  return found;
}

interface Ready {
  public: string;
  admin: string;
}

/** The addresses in the line on its stdout that says it is ready. */
function ready(child: ChildProcess): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const { stdout, stderr } = child;
    if (!stdout || !stderr) return reject(new Error('the program has no output'));
    let log = '';
    stderr.on('data', (data) => (log = (log + data).slice(-LOG_MAX)));
    const fail = (why: string) => reject(new Error(`the program ${why}; it said:\n${log}`));
    const late = setTimeout(() => fail(`was not ready within ${START_MS} ms`), START_MS);
    child.once('error', reject);
    child.once('exit', (code) => fail(`ended with ${code} before it was ready`));
    createInterface(stdout).once('line', (line) => {
      clearTimeout(late);
      resolve(JSON.parse(line) as Ready);
    });
  });
}
