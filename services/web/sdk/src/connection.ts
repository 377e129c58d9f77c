// The life of one viewer's line: open, hello, ping, close, come back with the cursor. What the room says is kept out.

import { afterMs, backoffMs, waitMs } from './backoff.js';
import { serverClock } from './clock.js';
import { ABNORMAL, NORMAL, UNAUTHORIZED, afterClose } from './closes.js';
import type { Env, News } from './env.js';
import type { Ears, Frame, Line } from './line.js';
import { liveness } from './liveness.js';
import { deedOf, newsWaitMs } from './news.js';
import { Order } from './order.js';
import { pass } from './pass.js';
import { CONNECT_MS, PROFILES, STEADY_MS } from './profiles.js';
import type { Options, State, Transition } from './types.js';
import { opener } from './wires.js';

const TRANSITIONS_MAX = 50;

/** A token is renewed so long before it ends, and asked for again so often where that fails. */
const RENEW_MS = 45_000;
const RENEW_AGAIN_MS = 15_000;

/** A timer may come a little early; what is this near is now. */
const AT_ONCE_MS = 20;
const TIMER_MS_MAX = 2 ** 31 - 1;

export interface Hear {
  state(state: State): void;
  frame(frame: Frame): void;
  trouble(code: string, message: unknown): void;
}

type Timer = 'giveUp' | 'look' | 'back' | 'renew' | 'steady';

export type Connection = ReturnType<typeof connection>;

export function connection(options: Options, env: Env, hear: Hear) {
  const profile = PROFILES[options.profile ?? 'office'];
  const ticket = pass(options.token);
  const clock = serverClock();
  const order = new Order();
  const life = liveness(profile, clock);
  /** Whether the wire goes both ways. */
  const sends = options.wire !== 'sse';
  let transitions: Transition[] = [];
  const timers: Partial<Record<Timer, () => void>> = {};
  let state: State = { kind: 'idle' };
  /** Since a connection lasted. */
  let attempts = 0;
  let connections = 0;
  let line: Line | undefined;
  /** What an older turn still had in flight is void. */
  let turn = 0;
  /** When the server asked us to come back. */
  let returnAt: number | undefined;
  let newsAt = -Infinity;
  let unwatch: (() => void) | undefined;

  /** The last deed of whoever calls it, or he looks again whose turn it is: a listener may leave, or come back. */
  function go(next: State, why: string): void {
    const { kind } = state;
    state = next;
    transitions = [...transitions, { at: env.now(), from: kind, to: next.kind, why }].slice(-TRANSITIONS_MAX);
    if (kind !== 'connecting' || next.kind !== kind) hear.state(next);
  }

  function timer(name: Timer, ms: number, run: () => unknown): void {
    timers[name]?.();
    timers[name] = env.timer(Math.min(ms, TIMER_MS_MAX), run);
  }

  /** Lets go of the line and of all that was planned. */
  function leave(): void {
    turn += 1;
    returnAt = undefined;
    for (const cancel of Object.values(timers)) cancel();
    line?.close();
    line = undefined;
  }

  async function attempt(reason: string): Promise<void> {
    leave();
    const mine = turn;
    let step = 'token';
    const giveUp = () => timer('giveUp', CONNECT_MS, () => failed(`no ${step} in time`));
    /** A token and a wire may be had the next time; and nobody else says that there is none. */
    const failed = (why: string) => {
      if (step !== 'hello') hear.trouble(step, why);
      if (mine === turn) comeBack(ABNORMAL, why);
    };
    giveUp();
    go({ kind: 'connecting' }, reason);
    try {
      if (mine !== turn) return;
      const token = await ticket.token();
      step = 'wire';
      const open = await opener(options);
      if (mine !== turn) return;
      step = 'hello';
      giveUp();
      // Without a page around it, and without a url, the address is none, and says so.
      line = open(
        { env, url: options.url ?? globalThis.location?.origin ?? '', room: options.room, token, order },
        ears,
      );
    } catch (error) {
      if (mine !== turn) return;
      // That a line cannot even be asked for will not change by itself.
      if (step === 'hello') stop(ABNORMAL, String(error));
      else failed(String(error));
    }
  }

  /** A line that was left is not heard any more. */
  const ears: Ears = {
    frame(frame) {
      const now = env.now();
      life.heard(now);
      if (frame.type === 'hello') greeted(frame, now);
      if (frame.type === 'pong') clock.pong(frame['at'], frame['now'], now);
      if (frame.type === 'reconnect') plan(afterMs(frame['after_ms']));
      else hear.frame(frame);
      // Who left in the middle of it has not read it.
      if (state.kind === 'live' && frame.type !== 'hello') order.move(frame['cursor']);
    },
    alive: () => life.heard(env.now()),
    /** It may have been danmaku, and nobody will know how many. */
    bad(code, message) {
      life.heard(env.now());
      hear.trouble(code, message);
      if (state.kind === 'live') hear.frame({ type: 'gap', reason: 'unreadable' });
    },
    closed,
  };

  /** The server says hello on arrival, and once more to a new token. */
  function greeted(frame: Frame, now: number): void {
    order.hello(frame['cursor'], frame['recovered']);
    ticket.good();
    renewBefore(frame['expires']);
    if (state.kind === 'live') return;
    timers.giveUp?.();
    connections += 1;
    clock.hello(frame['now'], now);
    life.start(now, sends, frame['idle_ms']);
    timer('steady', STEADY_MS, () => (attempts = 0));
    go({ kind: 'live' }, 'hello');
    look();
  }

  function look(): void {
    if (state.kind !== 'live') return;
    const deed = life.look(env.now());
    if (deed === 'dead') return closed(ABNORMAL, 'nothing heard');
    if (deed === 'ping') say({ type: 'ping', at: Math.round(env.now()) });
    timer('look', life.nextAt() - env.now(), look);
  }

  /** A new token in good time; the server answers it with a hello that says when that one ends. */
  function renewBefore(expires: unknown): void {
    if (typeof expires !== 'number' || !sends) return;
    timer('renew', Math.max(RENEW_AGAIN_MS, expires - clock.toServer(env.now()) - RENEW_MS), async () => {
      const mine = turn;
      if (!ticket.spoil()) return;
      renewBefore(expires);
      try {
        const token = await ticket.token();
        if (mine === turn && token) say({ type: 'refresh', token });
      } catch (error) {
        hear.trouble('token', error);
      }
    });
  }

  function closed(code: number, reason: string, asked?: number): void {
    const next = afterClose(code);
    const isRenewed = next === 'renew' ? ticket.spoil() : code === UNAUTHORIZED && ticket.refuse();
    const why = reason || (state.kind === 'live' ? 'the line ended' : 'no connection');
    // A goodbye after being asked to come back is none for good.
    const isAsked = code === NORMAL && returnAt !== undefined;
    if (isRenewed) comeBack(code, why, 0);
    else if (next === 'back' || isAsked) comeBack(code, why, asked);
    else stop(code, why);
  }

  function stop(code: number, reason: string): void {
    leave();
    go({ kind: 'stopped', code, reason }, reason);
  }

  function comeBack(code: number, reason: string, asked?: number): void {
    const planned = returnAt === undefined ? asked : returnAt - env.now();
    wait(waitMs(planned, backoffMs(attempts, env.random(), profile, life.isHidden), attempts), code, reason);
  }

  function wait(ms: number, code: number, reason: string): void {
    leave();
    attempts += 1;
    if (ms < AT_ONCE_MS) return void attempt(reason);
    timer('back', ms, () => attempt('its moment'));
    go({ kind: 'waiting', until: env.now() + ms, code, reason }, reason);
  }

  /** The server asked us to come back at a moment of its choosing: stay until then, or until it closes. */
  function plan(ms: number): void {
    returnAt = env.now() + ms;
    timer('back', ms, () => comeBack(1012, 'asked to'));
  }

  function hearNews(news: News): void {
    const now = env.now();
    if (news === 'hidden' || news === 'shown') life.isHidden = news === 'hidden';
    const deed = deedOf(news, state.kind);
    if (deed === 'nothing') return;
    if (deed === 'park') return wait(profile.capMs, ABNORMAL, news);
    if (deed === 'probe') {
      life.probe(now, true);
      return look();
    }
    if (deed === 'again') attempts = 0;
    const ms = newsWaitMs(newsAt, now);
    if (ms === 0) newsAt = now;
    wait(ms, ABNORMAL, news);
  }

  function enter(): void {
    attempts = 0;
    unwatch ??= env.watch(hearNews);
  }

  function say(frame: Frame): void {
    if (state.kind !== 'live') return;
    line?.say(frame);
    // Who speaks should not wait for the next ping to learn that nobody hears it.
    if (frame.type !== 'send') return;
    life.probe(env.now());
    look();
  }

  return {
    order,
    sends,
    say,
    state: () => state,
    serverNow: () => clock.toServer(env.now()),
    debug: () => ({
      state,
      transitions,
      roundTripMs: clock.roundTripMs,
      missed: life.missed,
      attempts,
      connections,
      pingEveryMs: life.everyMs(env.now()),
      cursor: order.cursor,
      repeats: order.repeats,
    }),
    connect(): void {
      if (state.kind !== 'idle' && state.kind !== 'stopped') return;
      enter();
      timer('back', env.random() * profile.firstMs, () => attempt('its moment'));
      go({ kind: 'connecting' }, 'asked to');
    },
    /** Now, whatever was planned. */
    reconnect(): void {
      enter();
      void attempt('asked to');
    },
    close(): void {
      leave();
      unwatch?.();
      unwatch = undefined;
      go({ kind: 'idle' }, 'asked to');
    },
  };
}
