// The life of one viewer's line: open, hello, ping, close, come back with the cursor. What the room says is not its matter.

import { afterMs, backoffMs, waitMs } from './backoff.js';
import { Clock } from './clock.js';
import { ABNORMAL, UNAUTHORIZED, afterClose } from './closes.js';
import type { Env, News } from './env.js';
import type { Ears, Frame, Line } from './line.js';
import { Liveness } from './liveness.js';
import { deedOf, newsWaitMs } from './news.js';
import { Order } from './order.js';
import { Pass } from './pass.js';
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
  trouble(code: string, message: string): void;
}

type Timer = 'hello' | 'look' | 'back' | 'renew' | 'steady';

export class Connection {
  state: State = { kind: 'idle' };
  readonly transitions: Transition[] = [];
  readonly clock = new Clock();
  readonly order = new Order();
  readonly liveness: Liveness;
  /** Since a connection lasted. */
  attempts = 0;
  connections = 0;
  readonly #pass: Pass;
  readonly #wire;
  readonly #profile;
  #line: Line | undefined;
  /** What an older turn still had in flight is void. */
  #turn = 0;
  readonly #timers = new Map<Timer, () => void>();
  /** When the server asked us to come back. */
  #returnAt: number | undefined;
  #newsAt = -Infinity;
  #unwatch: (() => void) | undefined;

  constructor(
    readonly options: Options,
    readonly env: Env,
    readonly hear: Hear,
  ) {
    this.#wire = options.wire ?? 'json';
    this.#profile = PROFILES[options.profile ?? 'office'];
    this.#pass = new Pass(options.token);
    this.liveness = new Liveness(this.#profile);
  }

  connect(): void {
    if (this.state.kind !== 'idle' && this.state.kind !== 'stopped') return;
    this.attempts = 0;
    this.#go({ kind: 'connecting' }, 'asked to');
    this.#unwatch ??= this.env.watch((news) => this.#news(news));
    this.#timer('back', this.env.random() * this.#profile.firstMs, () => this.#attempt('its first moment'));
  }

  close(): void {
    this.#leave();
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#go({ kind: 'idle' }, 'asked to');
  }

  /** Now, whatever was planned. */
  reconnect(why = 'asked to'): void {
    this.attempts = 0;
    this.#unwatch ??= this.env.watch((news) => this.#news(news));
    this.#attempt(why);
  }

  say(frame: Frame): void {
    if (this.state.kind === 'live') this.#line?.say(frame);
  }

  get wireSends(): boolean {
    return this.#wire !== 'sse';
  }

  async #attempt(why: string): Promise<void> {
    this.#leave();
    const turn = this.#turn;
    this.#go({ kind: 'connecting' }, why);
    this.#timer('hello', CONNECT_MS, () => this.#closed(ABNORMAL, 'no token in time'));
    let step = 'token';
    try {
      const token = await this.#pass.token();
      step = 'load';
      const open = await opener(this.#wire);
      if (turn !== this.#turn) return;
      step = '';
      this.#timer('hello', CONNECT_MS, () => this.#closed(ABNORMAL, 'no hello in time'));
      const { env, options } = this;
      this.#line = open({ env, url: whereIs(options.url), room: options.room, token, since: this.order.cursor }, this.#ears);
    } catch (error) {
      if (turn === this.#turn) this.#failed(step, String(error));
    }
  }

  /** The application's token and the loading of a wire may come right; that a line cannot even be asked for will not change by itself. */
  #failed(step: string, why: string): void {
    if (!step) return this.#stop(ABNORMAL, why);
    this.hear.trouble(step, why);
    this.#comeBack(ABNORMAL, why);
  }

  /** A line that was left is not heard any more. */
  readonly #ears: Ears = {
    frame: (frame) => this.#frame(frame),
    alive: () => this.liveness.heard(this.env.now()),
    bad: (code, message) => this.#bad(code, message),
    closed: (code, reason, asked) => this.#closed(code, reason, asked),
  };

  #frame(frame: Frame): void {
    const now = this.env.now();
    this.liveness.heard(now);
    if (frame.type === 'hello') this.#hello(frame, now);
    else if (this.state.kind === 'live') this.order.move(frame['cursor']);
    if (frame.type === 'pong') {
      this.clock.pong(frame['at'], frame['now'], now);
      this.liveness.pong(this.clock.roundTripMs);
    }
    if (frame.type === 'reconnect') this.#plan(afterMs(frame['after_ms']));
    this.hear.frame(frame);
  }

  /** It may have been danmaku, and nobody will know how many. */
  #bad(code: string, message: string): void {
    this.liveness.heard(this.env.now());
    this.hear.trouble(code, message);
    if (this.state.kind === 'live') this.hear.frame({ type: 'gap', reason: 'unreadable' });
  }

  /** The server says hello on arrival, and once more to a new token. */
  #hello(frame: Frame, now: number): void {
    this.order.hello(frame['cursor'], frame['recovered']);
    this.#pass.good();
    this.#renewBefore(frame['expires']);
    if (this.state.kind === 'live') return;
    this.#cancel('hello');
    this.connections += 1;
    this.clock.hello(frame['now'], now);
    this.liveness.start(now, this.wireSends, frame['idle_ms']);
    this.#timer('steady', STEADY_MS, () => (this.attempts = 0));
    this.#go({ kind: 'live' }, 'hello');
    this.#look();
  }

  #look(): void {
    const deed = this.liveness.look(this.env.now());
    if (deed === 'dead') return this.#closed(ABNORMAL, 'nothing heard');
    if (deed === 'ping') this.say({ type: 'ping', at: Math.round(this.env.now()) });
    this.#timer('look', this.liveness.nextAt() - this.env.now(), () => this.#look());
  }

  #renewBefore(expires: unknown): void {
    if (typeof expires !== 'number' || !this.wireSends) return;
    const left = expires - this.clock.toServer(this.env.now());
    this.#timer('renew', Math.max(RENEW_AGAIN_MS / 3, left - RENEW_MS), () => this.#renew(expires));
  }

  async #renew(expires: number): Promise<void> {
    const turn = this.#turn;
    if (!this.#pass.spoil()) return;
    this.#timer('renew', RENEW_AGAIN_MS, () => this.#renew(expires));
    try {
      const token = await this.#pass.token();
      if (turn === this.#turn && token) this.say({ type: 'refresh', token });
    } catch (error) {
      this.hear.trouble('token', String(error));
    }
  }

  #closed(code: number, reason: string, asked?: number): void {
    const next = afterClose(code);
    const isRefused = code === UNAUTHORIZED && this.#pass.refuse();
    const said = reason || (this.state.kind === 'live' ? 'the line ended' : 'no connection');
    if (isRefused || (next === 'renew' && this.#pass.spoil())) this.#comeBack(code, said, 0);
    else if (next === 'back') this.#comeBack(code, said, asked);
    else this.#stop(code, said);
  }

  #stop(code: number, reason: string): void {
    this.#leave();
    this.#go({ kind: 'stopped', code, reason }, reason);
  }

  #comeBack(code: number, reason: string, asked?: number): void {
    const now = this.env.now();
    const planned = this.#returnAt === undefined ? asked : Math.max(0, this.#returnAt - now);
    const backoff = backoffMs(this.attempts, this.env.random(), this.#profile, this.liveness.isHidden);
    this.#wait(waitMs(planned, backoff, this.attempts), code, reason);
  }

  #wait(ms: number, code: number, reason: string): void {
    this.#leave();
    this.attempts += 1;
    if (ms < AT_ONCE_MS) return void this.#attempt(reason);
    this.#go({ kind: 'waiting', until: this.env.now() + ms, code, reason }, reason);
    this.#timer('back', ms, () => this.#attempt('its moment'));
  }

  /** The server asked us to come back at a moment of its choosing: stay until then, or until it closes. */
  #plan(ms: number): void {
    this.#returnAt = this.env.now() + ms;
    this.#timer('back', ms, () => this.#comeBack(1012, 'asked to by the server'));
  }

  #news(news: News): void {
    const now = this.env.now();
    if (news === 'hidden' || news === 'shown') this.liveness.isHidden = news === 'hidden';
    const deed = deedOf(news, this.state.kind);
    if (deed === 'park') this.#wait(this.#profile.capMs, ABNORMAL, news);
    else if (deed === 'probe') {
      this.liveness.probe(now, true);
      this.#look();
    } else if (deed !== 'nothing') {
      if (deed === 'again') this.attempts = 0;
      const ms = newsWaitMs(this.#newsAt, now);
      if (ms === 0) this.#newsAt = now;
      this.#wait(ms, ABNORMAL, news);
    }
  }

  #leave(): void {
    this.#turn += 1;
    this.#returnAt = undefined;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#line?.close();
    this.#line = undefined;
  }

  #timer(name: Timer, ms: number, run: () => unknown): void {
    this.#cancel(name);
    this.#timers.set(name, this.env.timer(Math.min(Math.max(0, ms), TIMER_MS_MAX), run));
  }

  #cancel(name: Timer): void {
    this.#timers.get(name)?.();
  }

  #go(state: State, why: string): void {
    const from = this.state.kind;
    this.state = state;
    if (from === 'connecting' && state.kind === from) return;
    this.transitions.push({ at: this.env.now(), from, to: state.kind, why });
    this.transitions.splice(0, this.transitions.length - TRANSITIONS_MAX);
    this.hear.state(state);
  }
}

function whereIs(url: string | undefined): string {
  const found = url ?? globalThis.location?.origin;
  if (!found) throw new Error('no url: outside of a browser the option url is needed');
  return found;
}

