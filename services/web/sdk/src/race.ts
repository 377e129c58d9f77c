// A line for weak networks: where one is slow to come, or slow to answer, another is tried beside it, and the one that said hello last is
// the one that counts. To the connection all of them are one line.

import type { Ask, Ears, Frame, Line, Open } from './line.js';

/**
 * So long without a hello, and one more is tried. Where packets get lost, a line that has lost its first ones waits for a second and
 * then for three before it says them again; a fresh one is often sooner there.
 */
export const HELLO_MS = 1_250;

/** So long without an answer to a ping, and one more is tried while the silent one is kept: it may speak again. */
export const ANSWER_MS = 3_500;

/** What is older is not said again: the judge knows a repeat for 60 s. */
const AGAIN_MS_MAX = 45_000;

/** A newer connection of the same user has its place; and what is said of a line that just ended. */
const REPLACED = 4502;
const ENDED = 1006;

/** Besides the one that counts; a still older one is the least likely to come. */
export const LATE_MAX = 4;

/** So long after a race the server may hear of a line that was left on its way, and give it the place. */
const OURS_MS = 30_000;

/** When a client raced last; it is known by its place in the room. */
const racedAt = new WeakMap<object, number>();

export const race =
  (open: Open): Open =>
  (ask, ears) =>
    racing(open, ask, ears);

function racing(open: Open, ask: Ask, ears: Ears): Line {
  /** The eldest first. */
  let lines: Line[] = [];
  let front: Line | undefined;
  let cancel: (() => void) | undefined;
  /** What was said and is not answered: said again on a line that takes over. */
  const said = new Map<unknown, { frame: Frame; at: number }>();

  function leave(line: Line): void {
    lines = lines.filter((other) => other !== line);
    line.close();
  }

  /** Calls off what was planned, and plans one more line. */
  function plan(ms: number): void {
    cancel?.();
    cancel = ask.env.timer(ms, () => {
      racedAt.set(ask.order, ask.env.now());
      const late = lines.filter((line) => line !== front);
      if (late[0] && late.length >= LATE_MAX) leave(late[0]);
      start();
    });
  }

  function calm(): void {
    cancel?.();
    cancel = undefined;
  }

  function start(): void {
    plan(HELLO_MS);
    let own: Line | undefined;
    const isOn = () => own !== undefined && lines.includes(own);
    const counts = () => isOn() && (front === undefined || front === own);
    own = open(ask, {
      frame(frame) {
        if (own && isOn() && frame.type === 'hello') lead(own);
        if (!counts()) return;
        if (front) calm();
        if (frame.type === 'ack') said.delete(frame['client_id']);
        ears.frame(frame);
      },
      alive: () => counts() && ears.alive(),
      bad: (code, message) => counts() && ears.bad(code, message),
      closed: (code, reason, asked) => own && isOn() && ended(own, code, reason, asked),
    });
    lines.push(own);
  }

  /**
   * It is the one that counts from now on. Where a user has one place the last to come in has it, and those on their way still come in
   * whatever we do, so they are waited for.
   */
  function lead(line: Line): void {
    if (front === line) return;
    if (front) leave(front);
    front = line;
    for (const [id, { frame, at }] of said) {
      if (ask.env.now() - at < AGAIN_MS_MAX) line.say(frame);
      else said.delete(id);
    }
  }

  /** The end of a late one is nothing, unless it is the last or the server means the viewer; nor is it when a late one has taken the place. */
  function ended(line: Line, code: number, reason: string, asked?: number): void {
    const isOurs = code === REPLACED && ask.env.now() - (racedAt.get(ask.order) ?? -Infinity) < OURS_MS;
    const wasFront = front === line;
    leave(line);
    if (wasFront) front = undefined;
    if (lines.length > 0 && (isOurs || (!wasFront && code < 4500))) {
      if (wasFront) plan(HELLO_MS);
      return;
    }
    close();
    ears.closed(isOurs ? ENDED : code, reason, asked);
  }

  function close(): void {
    calm();
    lines.forEach(leave);
  }

  start();
  return {
    say(frame) {
      if (frame.type === 'send') said.set(frame['client_id'], { frame, at: ask.env.now() });
      front?.say(frame);
      if (frame.type === 'ping') cancel ?? plan(ANSWER_MS);
    },
    close,
  };
}
