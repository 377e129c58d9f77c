// The life of one viewer's socket: open, hello, ping, close, come back with the cursor; it draws nothing.

import { afterMs, backoffMs, comesBack } from './backoff.js';
import { ServerClock } from './clock.js';
import { millis } from './pass.js';

const HELLO_MS_MAX = 12_000; // a handshake that says nothing for this long is dead
const STEADY_MS = 10_000; // live this long and the next failure starts the backoff anew
const PONGS_MISSED_MAX = 2;
const TUNE_MS = 1_500; // a page that is being built answers late, and the clock would be wrong by half of that
const TUNES = 3;
const AT_ONCE_MS = 20; // a timer may come a little early
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Monotonic wall time: a stepped system clock must not bend the latency. */
export const clockNow = () => performance.timeOrigin + performance.now();

export class Connection {
  #socket = null;
  #cursor = null;
  #attempt = 0;
  #turn = 0; // what an older turn still had in flight is void
  #timers = { hello: 0, ping: 0, tune: 0, back: 0, refresh: 0, steady: 0 };
  #missed = 0;
  #heardPong = true;
  #returnAt = null; // when the server asked us to come back
  #retriedPass = false;

  /** `hear` is {state(state), frame(frame)}; a state is {kind, code?, reason?, until?}. */
  constructor(room, pass, hear) {
    this.room = room;
    this.pass = pass;
    this.hear = hear;
    this.clock = new ServerClock();
    addEventListener('online', () => this.state?.kind === 'waiting' && this.again());
  }

  /** Connects now, whatever was planned. */
  async again() {
    this.#leave();
    const turn = this.#turn;
    this.#say({ kind: 'connecting' });
    try {
      const token = await this.pass.token();
      if (turn === this.#turn) this.#open(token);
    } catch {
      if (turn === this.#turn) this.#comeBack(1006, '');
    }
  }

  #open(token) {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const since = this.#cursor ? `?since=${encodeURIComponent(this.#cursor)}` : '';
    const url = `${scheme}//${location.host}/v1/rooms/${encodeURIComponent(this.room)}/live${since}`;
    const socket = new WebSocket(url, token ? ['danmaku.v1.json', `bearer.${token}`] : ['danmaku.v1.json']);
    this.#socket = socket;
    socket.onmessage = (event) => this.#read(event.data);
    socket.onclose = (event) => this.#closed(event.code, event.reason);
    this.#timer('hello', HELLO_MS_MAX, () => this.#closed(1006, ''));
  }

  #read(data) {
    let frame;
    try {
      frame = JSON.parse(data);
    } catch {
      return;
    }
    if (typeof frame?.type !== 'string') return;
    if (frame.type === 'hello') this.#hello(frame);
    else if (typeof frame.cursor === 'string') this.#cursor = frame.cursor;
    if (frame.type === 'pong') this.#pong(frame);
    if (frame.type === 'reconnect') this.#plan(frame.after_ms ?? 0);
    this.hear.frame(frame);
  }

  #hello(frame) {
    // On a resume the hello's cursor is ahead of the replay that is still to come.
    if (typeof frame.cursor === 'string' && (!this.#cursor || frame.recovered === false)) this.#cursor = frame.cursor;
    clearTimeout(this.#timers.hello);
    this.clock.reset();
    this.clock.hello(frame.now, clockNow());
    this.#missed = 0;
    this.#heardPong = true;
    this.#retriedPass = false;
    this.#timer('steady', STEADY_MS, () => (this.#attempt = 0));
    this.#keepPass(frame.expires);
    this.#say({ kind: 'live' });
    this.#ping(frame.ping_ms > 0 ? frame.ping_ms : 30_000);
    this.#tune(TUNES);
  }

  /** Two pings in a row without a pong: the line is dead, whatever the socket says. */
  #ping(everyMs) {
    if (!this.#heardPong) this.#missed += 1;
    if (this.#missed >= PONGS_MISSED_MAX) return this.#closed(1006, '');
    this.#heardPong = false;
    this.#askTime();
    this.#timer('ping', everyMs, () => this.#ping(everyMs));
  }

  /** A few questions more for the clock alone: a slow answer to one of them says nothing about the line. */
  #tune(left) {
    this.#timer('tune', TUNE_MS, () => {
      this.#askTime();
      if (left > 1) this.#tune(left - 1);
    });
  }

  #askTime() {
    this.send({ type: 'ping', at: Math.round(clockNow()) });
  }

  #pong(frame) {
    this.#heardPong = true;
    this.#missed = 0;
    this.clock.pong(frame.at, frame.now, clockNow());
  }

  #keepPass(expires) {
    const at = millis(expires);
    if (!at || this.pass.watchOnly) return;
    const wait = Math.max(5_000, at - this.clock.toServer(clockNow()) - 45_000);
    this.#timer('refresh', Math.min(wait, TIMER_MS_MAX), async () => {
      const turn = this.#turn;
      this.pass.forget();
      const token = await this.pass.token().catch(() => null);
      if (!token || turn !== this.#turn) return;
      this.send({ type: 'refresh', token });
      this.#keepPass(this.pass.expires);
    });
  }

  #closed(code, reason) {
    const usedOldPass = code === 4501 && !this.pass.isFresh && !this.#retriedPass && !this.pass.watchOnly;
    if (code === 4005 || code === 4501) this.pass.forget();
    if (usedOldPass) {
      // A restarted server has new keys: one try with a new pass before giving up.
      this.#retriedPass = true;
      return this.again();
    }
    if (comesBack(code)) return this.#comeBack(code, reason);
    this.#leave();
    this.#say({ kind: 'stopped', code, reason });
  }

  #comeBack(code, reason) {
    const wait = this.#wait(reason);
    this.#leave();
    this.#attempt += 1;
    if (wait < AT_ONCE_MS) return this.again();
    this.#say({ kind: 'waiting', code, reason, until: Date.now() + wait });
    this.#timer('back', wait, () => this.again());
  }

  /** A moment that the server chose is kept, the first time; who is sent away again and again waits for himself too. */
  #wait(reason) {
    const backoff = backoffMs(this.#attempt, Math.random());
    if (this.#returnAt === null) return afterMs(reason) ?? backoff;
    return Math.max(0, this.#returnAt - Date.now(), this.#attempt > 0 ? backoff : 0);
  }

  /** The server asked us to come back at a moment of its choosing: stay until then, or until it closes. */
  #plan(waitMs) {
    this.#returnAt = Date.now() + waitMs;
    this.#timer('back', waitMs, () => this.#comeBack(1012, ''));
  }

  send(frame) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #leave() {
    this.#turn += 1;
    this.#returnAt = null;
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  }

  #timer(name, waitMs, run) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(run, waitMs);
  }

  #say(state) {
    this.state = state;
    this.hear.state(state);
  }
}
