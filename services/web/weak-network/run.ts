// One run: the program, a link a session, a crowd a network, a witness a room; then the logs and the peaks. It prints nothing. What it
// starts ends with this process, the namespaces with the crowds in them.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { raise } from './air.js';
import { KINDS, type Kind } from './clients/index.js';
import type { Order, Report } from './crowd.js';
import { Link } from './link.js';
import { nameOf, NETWORKS, type Network } from './networks.js';
import type { Options } from './options.js';
import { Peak } from './peak.js';
import { plan, type Fault, type Plan } from './schedule.js';
import { Program } from './server.js';
import type { Assignment, Log } from './session.js';
import type { Shown } from './verdict.js';
import { Witness } from './witness.js';

const IN_A_ROOM = 10;

/** From "begin" to the beginning: as long as it takes to tell all crowds. */
const HEADSTART_MS = 2_000;

/** A crowd that has not reported so long after its last session's end never will. */
const REPORT_MS = 30_000;

export interface Session {
  assignment: Assignment;
  link: Link;
}

export interface Outcome {
  networks: string[];
  logs: Log[];
  plans: Map<string, Plan>;
  rooms: Map<string, readonly Shown[]>;
  blind: string[];
  peaks: Map<string, Peak>;
  /** The longest that a process of the rig itself stood still. */
  stoodStillMs: number;
}

/** Of a kind in a network; without the network, of the kind. */
export const peakName = (kind: Kind, network?: string) => (network === undefined ? kind : `${kind}/${network}`);

export class Run {
  readonly peaks = new Map<string, Peak>(KINDS.map((kind) => [peakName(kind), new Peak()]));
  readonly program: Program;
  readonly networks: readonly Network[];
  #beginsAt = Infinity;
  #sessions: Session[] = [];
  #crowds = new Map<Network, ChildProcess>();
  #witnesses = new Map<string, Witness>();

  private constructor(
    program: Program,
    readonly options: Options,
    readonly withLoss: boolean,
  ) {
    this.program = program;
    this.networks = NETWORKS.map((network) => (withLoss ? network : { ...network, lossPercent: 0 }));
  }

  static async prepare(options: Options, withLoss: boolean): Promise<Run> {
    const run = new Run(await Program.start(options.binary, ['--places', String(options.places)]), options, withLoss);
    for (const [number, network] of run.networks.entries()) await run.#gather(number, network);
    return run;
  }

  /** Milliseconds since the beginning. */
  readonly now = (): number => Date.now() - this.#beginsAt;

  async go(): Promise<Outcome> {
    const { host, port } = this.program.address;
    const rooms = new Set(this.#sessions.map(({ assignment }) => assignment.where.room));
    for (const room of rooms) {
      const witness = new Witness();
      this.#witnesses.set(room, witness);
      await witness.enter(`ws://${host}:${port}`, room, this.now);
    }
    this.#beginsAt = Date.now() + HEADSTART_MS;
    for (const session of this.#sessions) this.#befall(session);
    const reports = await Promise.all([...this.#crowds].map(([network, crowd]) => this.#live(network, crowd)));
    return {
      logs: reports.flatMap(({ logs }) => logs),
      plans: new Map(this.#sessions.map(({ assignment }) => [assignment.name, assignment.plan])),
      rooms: new Map([...this.#witnesses].map(([room, { shown }]) => [room, shown])),
      blind: [...this.#witnesses].filter(([, { isBlind }]) => isBlind).map(([room]) => room),
      networks: this.networks.map(nameOf),
      peaks: this.peaks,
      stoodStillMs: Math.max(...reports.map(({ stoodStillMs }) => stoodStillMs)),
    };
  }

  /** A network's crowd, its air, and a link for each of its sessions. */
  async #gather(number: number, network: Network): Promise<void> {
    const crowd = this.#start();
    this.#crowds.set(network, crowd);
    await heard(crowd, 'here');
    let host = '127.0.0.1';
    if (this.withLoss && crowd.pid !== undefined) {
      const air = raise(number, crowd.pid, network.lossPercent);
      host = air.host;
      crowd.send({ do: 'raise', far: air.far } satisfies Order);
      await heard(crowd, 'raised');
    }
    for (const kind of KINDS) {
      const peak = new Peak(this.peaks.get(peakName(kind)));
      this.peaks.set(peakName(kind, nameOf(network)), peak);
      for (let index = number; index < this.options.sessions; index += this.networks.length) await this.#admit(kind, network, index, host, peak);
    }
  }

  #start(): ChildProcess {
    const script = join(import.meta.dirname, 'crowd.js');
    const [program, ...words] = [...(this.withLoss ? ['unshare', '--net'] : []), process.execPath, script];
    return spawn(program ?? '', words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  /** The same index has the same plan with each client. */
  async #admit(kind: Kind, network: Network, index: number, host: string, { count }: Peak): Promise<void> {
    const name = `${kind}-${index}`;
    const place = Math.floor(index / this.networks.length / IN_A_ROOM) * this.networks.length + (index % this.networks.length);
    const link = new Link({ to: () => this.program.address, roundTripMs: network.roundTripMs, count });
    const url = `ws://${host}:${await link.listen(host)}`;
    const where = { url, room: `weak-${kind}-${place}`, token: await this.program.token(name) };
    const lengthMs = this.options.minutes * 60_000;
    const assignment = { name, kind, network: nameOf(network), where, plan: plan(this.options.seed, index, network, lengthMs) };
    this.#sessions.push({ assignment, link });
  }

  #befall({ assignment, link }: Session): void {
    for (const fault of assignment.plan.faults) {
      setTimeout(() => befall(link, fault), fault.at - this.now());
    }
  }

  async #live(network: Network, crowd: ChildProcess): Promise<Extract<Report, { is: 'over' }>> {
    const assignments = this.#sessions.map(({ assignment }) => assignment).filter((assignment) => assignment.network === nameOf(network));
    crowd.send({ do: 'live', beginsAt: this.#beginsAt, assignments } satisfies Order);
    return heard(crowd, 'over', HEADSTART_MS + this.options.minutes * 60_000 + REPORT_MS);
  }
}

function befall(link: Link, fault: Fault): void {
  if (fault.kind === 'stall') link.stall(fault.ms);
  else if (fault.kind === 'restart') link.cut();
  else link.silence();
}

/** The crowd's next report, which must be this one. */
async function heard<Is extends Report['is']>(crowd: ChildProcess, is: Is, withinMs = 10_000): Promise<Extract<Report, { is: Is }>> {
  const gone = once(crowd, 'exit').then(([code]) => Promise.reject(new Error(`a crowd ended with ${code}`)));
  const [report] = (await Promise.race([once(crowd, 'message', { signal: AbortSignal.timeout(withinMs) }), gone])) as [Report];
  if (report.is !== is) throw new Error(`a crowd said "${report.is}" instead of "${is}"`);
  return report as Extract<Report, { is: Is }>;
}
