// One room as an application sees it: what comes in on the line goes to its part, what the application asks goes to the line.

import { Connection } from './connection.js';
import { machine, type Env } from './env.js';
import { Inbox } from './inbox.js';
import type { Frame } from './line.js';
import { Listeners } from './listeners.js';
import * as read from './read.js';
import { Recent } from './recent.js';
import { Sender } from './sender.js';
import type { Debug, Events, Message, Mode, Options, Picture, Sent, State, Style, User } from './types.js';

/** How often it looks after what waits: a tenth of a second between picture and text is not seen. */
const LOOK_MS = 100;

const NOTICES_MAX = 200;
const UNKNOWN_TYPES_MAX = 20;

/**
 * One room, watched and spoken in.
 *
 * @example
 * ```ts
 * const room = new Danmaku({ url: 'https://live.example', room: 'demo', token });
 * room.on('message', ({ user, text }) => console.log(user?.name, text));
 * room.connect();
 * ```
 */
export class Danmaku {
  readonly #env: Env;
  readonly #listeners = new Listeners();
  readonly #connection: Connection;
  readonly #inbox: Inbox;
  readonly #sender: Sender;
  readonly #notices = new Recent<true>(NOTICES_MAX);
  readonly #unknown = new Recent<true>(UNKNOWN_TYPES_MAX);
  #looks = false;
  #online = 0;
  #mode = read.mode(undefined);
  #maySend = false;

  constructor(readonly options: Options) {
    const { tell } = this.#listeners;
    this.#env = { ...machine(), ...options.env };
    this.#connection = new Connection(options, this.#env, {
      state: (state) => this.#state(state),
      frame: (frame) => this.#frame(frame),
      trouble: (code, message) => tell('error', { code, message }),
    });
    const { order } = this.#connection;
    this.#sender = new Sender(options.unsentMs, this.#env.random, (frame) => this.#connection.say(frame), (id) => order.has(id));
    const isSent = (id: string) => this.#sender.isSent(id, this.#env.now());
    this.#inbox = new Inbox({ tell, order, isSent, serverNow: () => this.#serverNow() });
    this.delayMs = options.delayMs ?? 0;
  }

  /**
   * Listens; the answer ends it. What a listener throws is reported, and stops nothing.
   *
   * @example
   * ```ts
   * const off = room.on('recall', (recall) => lines.filter(recall.matches).forEach(remove));
   * ```
   */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void {
    return this.#listeners.on(name, listener);
  }

  /**
   * Comes in, and stays in until `close`; while it is in or on its way nothing happens.
   *
   * @example
   * ```ts
   * room.connect();
   * ```
   */
  connect(): void {
    this.#connection.connect();
  }

  /**
   * Leaves for good: what was not sent is answered `closed`. `connect` comes in again.
   *
   * @example
   * ```ts
   * addEventListener('pagehide', () => room.close());
   * ```
   */
  close(): void {
    this.#connection.close();
    this.#sender.close('closed');
  }

  /**
   * Drops the line, if there is one, and comes back now, with the cursor; also after `stopped`.
   *
   * @example
   * ```ts
   * button.onclick = () => room.reconnect();
   * ```
   */
  reconnect(): void {
    this.#connection.reconnect();
  }

  /**
   * Says something. Never rejects: a refusal is a value. Without a line it waits for one, up to `unsentMs`.
   *
   * @example
   * ```ts
   * const sent = await room.send('666', { color: '#ff8800' });
   * if (!sent.ok) show(sent.code, sent.retryAfterMs);
   * else if ((await sent.verdict)?.verdict === 'held') show('a moderator looks at it');
   * ```
   */
  send(text: string, style: Style = {}): Promise<Sent> {
    const sent = this.#sender.send(text, style, this.#refusal(), this.#env.now());
    this.#look();
    return sent;
  }

  /**
   * From now on messages wait until this viewer's picture is as far as they are (and `delayMs` further); `null` ends it.
   *
   * @example
   * ```ts
   * room.syncTo(document.querySelector('video'));
   * room.syncTo(() => hls.playingDate?.getTime());
   * ```
   */
  syncTo(picture: Picture | null): void {
    this.#inbox.picture = picture;
  }

  /**
   * How much later than the server's `at`, or than the picture of `syncTo`, a message is told.
   *
   * @example
   * ```ts
   * room.delayMs = 8_000; // the stream is eight seconds behind
   * ```
   */
  get delayMs(): number {
    return this.#inbox.delayMs;
  }

  set delayMs(ms: number) {
    this.#inbox.delayMs = ms;
  }

  /**
   * The last 200 messages that were told and not recalled, the oldest first.
   *
   * @example
   * ```ts
   * room.history.filter(({ kind }) => kind === 'super').forEach(pin);
   * ```
   */
  get history(): readonly Message[] {
    return this.#inbox.history;
  }

  /**
   * What stands in the room, as a score or a pinned line: the last of each, at most 16.
   *
   * @example
   * ```ts
   * room.on('hello', () => showScore(room.sticky.find(({ event }) => event === 'score')?.data));
   * ```
   */
  get sticky(): readonly Message[] {
    return this.#inbox.sticky;
  }

  /**
   * Where the connection stands.
   *
   * @example
   * ```ts
   * if (room.state.kind === 'stopped') show(room.state.reason);
   * ```
   */
  get state(): State {
    return this.#connection.state;
  }

  /**
   * How many watch.
   *
   * @example
   * ```ts
   * room.on('online', ({ count, approximate }) => show(approximate ? `about ${count}` : `${count}`));
   * ```
   */
  get online(): number {
    return this.#online;
  }

  /**
   * Who the server takes us for.
   *
   * @example
   * ```ts
   * show(room.user?.name ?? 'a viewer');
   * ```
   */
  get user(): User | undefined {
    return this.#inbox.me;
  }

  /**
   * Whether `send` has a chance: this wire, this token and this server allow it.
   *
   * @example
   * ```ts
   * form.hidden = !room.canSend;
   * ```
   */
  get canSend(): boolean {
    return this.#maySend && this.#refusal() === undefined;
  }

  /**
   * How the room may be spoken in.
   *
   * @example
   * ```ts
   * room.on('mode', ({ slowMs }) => countDown(slowMs));
   * ```
   */
  get mode(): Mode {
    return this.#mode;
  }

  /**
   * How long ago the server accepted something, by the server's clock.
   *
   * @example
   * ```ts
   * room.on('message', ({ at }) => showLatency(room.ageMs(at)));
   * ```
   */
  ageMs(at: number): number {
    return Math.max(0, this.#serverNow() - at);
  }

  /**
   * The connection's inside, as plain data; `debugPanel` of `@danmaku/client/panel` shows it.
   *
   * @example
   * ```ts
   * console.table(room.debug.transitions);
   * ```
   */
  get debug(): Debug {
    const { state, transitions, clock, liveness, attempts, connections, order } = this.#connection;
    return {
      state,
      transitions: [...transitions],
      roundTripMs: clock.roundTripMs,
      missed: liveness.missed,
      attempts,
      connections,
      pingEveryMs: liveness.everyMs(this.#env.now()),
      wire: this.options.wire ?? 'json',
      profile: this.options.profile ?? 'office',
      cursor: order.cursor,
      unsent: this.#sender.unsent,
      delayed: this.#inbox.delayed,
      repeats: order.repeats,
    };
  }

  #serverNow(): number {
    return this.#connection.clock.toServer(this.#env.now());
  }

  /** Why nothing can be sent at all. */
  #refusal(): string | undefined {
    const { kind } = this.state;
    if (!this.#connection.wireSends) return 'receive_only';
    return kind === 'stopped' ? kind : kind === 'idle' ? 'closed' : undefined;
  }

  #state(state: State): void {
    if (state.kind === 'live') this.#sender.resume(this.#env.now());
    if (state.kind === 'stopped') this.#sender.close('stopped');
    this.#listeners.tell('state', state);
    if (state.kind === 'stopped') this.#listeners.tell('stopped', state);
  }

  #frame(frame: Frame): void {
    const hears = Object.hasOwn(this.#hears, frame.type) ? this.#hears[frame.type] : undefined;
    if (hears) hears(frame);
    else this.#later(frame.type);
    this.#look();
  }

  readonly #hears: Record<string, (frame: Frame) => void> = {
    hello: (frame) => this.#hello(frame),
    batch: ({ messages, replay }) => read.list(messages).forEach((message) => this.#inbox.take(message, replay === true)),
    gap: (frame) => this.#tell('gap', read.gap(frame)),
    recall: (frame) => this.#inbox.recall(read.recall(frame)),
    mode: (frame) => this.#tell('mode', (this.#mode = read.mode(frame))),
    ack: (frame) => this.#sender.ack(frame, this.#env.now()),
    verdict: (frame) => this.#tell('verdict', this.#sender.verdict(frame)),
    notice: (frame) => this.#notice(frame),
    pong: (frame) => this.#count(frame),
    reconnect: () => {},
    error: (frame) => this.#tell('error', read.trouble(frame)),
  };

  #tell<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    this.#listeners.tell(name, event);
  }

  #hello(frame: Frame): void {
    const hello = read.hello(frame);
    this.#inbox.me = hello.user;
    this.#maySend = hello.canSend;
    this.#mode = hello.mode;
    this.#inbox.stand(read.list(frame['state']));
    this.#tell('hello', hello);
    this.#tell('mode', hello.mode);
    this.#count(frame);
  }

  /** It comes again until it is acknowledged, and is told once. */
  #notice(frame: Frame): void {
    const notice = read.notice(frame);
    if (!notice) return;
    if (!this.#notices.get(notice.id)) this.#tell('notice', notice);
    this.#notices.set(notice.id, true);
    this.#connection.say({ type: 'ack', notice: notice.id });
  }

  #count(frame: Frame): void {
    const { online, approximate } = read.pong(frame);
    this.#online = online ?? this.#online;
    this.#tell('online', { count: this.#online, approximate });
  }

  /** A type of a later release is passed over, and said once. */
  #later(type: string): void {
    const name = type.slice(0, 32);
    if (!this.#unknown.get(name)) this.#tell('error', { code: 'unknown_type', message: name });
    this.#unknown.set(name, true);
  }

  /** Looks after what waits, now and again until nothing does. */
  #look(): void {
    this.#inbox.look();
    this.#sender.look(this.#env.now(), this.state.kind === 'live');
    if (this.#looks || !(this.#inbox.delayed > 0 || this.#sender.isWaiting)) return;
    this.#looks = true;
    this.#env.timer(LOOK_MS, () => {
      this.#looks = false;
      this.#look();
    });
  }
}
