// Real packet loss: a veth pair between this process's network namespace and a crowd's, and iptables that drops what comes to the crowd.
// Only for a process that has a namespace of its own; all of it ends with the processes in it.

import { execFileSync } from 'node:child_process';

/** Addresses for measuring, which no network routes (RFC 2544); each pair gets a /30. */
const pair = (number: number) => ({ near: `198.18.${number}.1`, far: `198.18.${number}.2` });

export interface Air {
  /** Where this side listens. */
  host: string;
  /** What the other side runs within its own namespace. */
  far: { number: number; lossPercent: number };
}

/** Whether packets can be lost here; if not, why. */
export function whyNoLoss(): string | undefined {
  try {
    run('ip', 'link', 'set', 'lo', 'up');
    lose('lo', 0);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.split('\n').slice(0, 2).join(' ') : String(error);
  }
}

/** The near end, for the crowd that runs as `pid` in a namespace of its own. */
export function raise(number: number, pid: number, lossPercent: number): Air {
  const name = `air${number}`;
  run('ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'far', 'netns', String(pid));
  run('ip', 'addr', 'add', `${pair(number).near}/30`, 'dev', name);
  run('ip', 'link', 'set', name, 'up');
  return { host: pair(number).near, far: { number, lossPercent } };
}

/** The far end, run by the crowd. */
export function raiseFar({ number, lossPercent }: Air['far']): void {
  run('ip', 'link', 'set', 'lo', 'up');
  run('ip', 'addr', 'add', `${pair(number).far}/30`, 'dev', 'far');
  run('ip', 'link', 'set', 'far', 'up');
  lose('far', lossPercent);
}

/** On the way to the devices, of what comes in: a drop on the way out would be reported to the sender's TCP. */
function lose(device: string, lossPercent: number): void {
  run('iptables', '-A', 'INPUT', '-i', device, '-m', 'statistic', '--mode', 'random', '--probability', String(lossPercent / 100), '-j', 'DROP');
}

function run(program: string, ...words: string[]): void {
  execFileSync(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
}
