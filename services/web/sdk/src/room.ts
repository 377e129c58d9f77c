// One room as an application sees it, and the words for it. What happens behind them is the session's.

import { Listeners } from './listeners.js';
import { session } from './session.js';
import type { Debug, Message, Mode, Options, Picture, Sent, State, Style, User } from './types.js';

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
export class Danmaku extends Listeners {
  readonly #session;

  constructor(options: Options) {
    super();
    this.#session = session(options, this.tell);
    this.delayMs = options.delayMs ?? 0;
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
    this.#session.connect();
  }

  /**
   * Leaves for good: what was not sent is answered `closed`, and nothing is told any more. `connect` comes in again.
   *
   * @example
   * ```ts
   * addEventListener('pagehide', () => room.close());
   * ```
   */
  close(): void {
    this.#session.close();
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
    this.#session.reconnect();
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
    return this.#session.send(text, style);
  }

  /**
   * From now on messages wait until this viewer's picture is as far as they are (and `delayMs` further); `null` ends
   * it.
   *
   * @example
   * ```ts
   * room.syncTo(document.querySelector('video'));
   * room.syncTo(() => hls.playingDate?.getTime());
   * ```
   */
  syncTo(picture: Picture | null): void {
    this.#session.box.picture = picture;
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
    return this.#session.box.delayMs;
  }

  set delayMs(ms: number) {
    this.#session.box.delayMs = ms;
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
    return this.#session.box.history;
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
    return this.#session.box.sticky;
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
    return this.#session.state();
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
    return this.#session.online();
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
    return this.#session.box.me;
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
    return this.#session.canSend();
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
    return this.#session.mode();
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
    return this.#session.ageMs(at);
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
    return this.#session.debug();
  }
}
