// One room as an application sees it.

import type { Events, Debug, Message, Mode, Options, Picture, Sent, State, Style, User } from './types.js';

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
  constructor(readonly options: Options) {}

  /**
   * Listens; the answer ends it. What a listener throws is reported, and stops nothing.
   *
   * @example
   * ```ts
   * const off = room.on('recall', (recall) => lines.filter(recall.matches).forEach(remove));
   * ```
   */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void {
    void name, listener;
    throw new Error('not yet');
  }

  /** Comes in, and stays in until `close`; while it is in or on its way nothing happens. */
  connect(): void {}

  /** Leaves for good: what was not sent is answered `closed`. `connect` comes in again. */
  close(): void {}

  /** Drops the line, if there is one, and comes back now, with the cursor; also after `stopped`. */
  reconnect(): void {}

  /**
   * Says something. Never rejects: a refusal is a value.
   *
   * @example
   * ```ts
   * const sent = await room.send('666', { color: '#ff8800' });
   * if (!sent.ok) show(sent.code, sent.retryAfterMs);
   * else if ((await sent.verdict)?.verdict === 'held') show('a moderator looks at it');
   * ```
   */
  send(text: string, style: Style = {}): Promise<Sent> {
    void text, style;
    throw new Error('not yet');
  }

  /**
   * From now on messages wait until this viewer's picture is as far as they are; `null` ends it.
   *
   * @example
   * ```ts
   * room.syncTo(document.querySelector('video'));
   * room.syncTo(() => hls.playingDate?.getTime());
   * ```
   */
  syncTo(picture: Picture | null): void {
    void picture;
  }

  /** How much later than `at` a message is told. */
  delayMs = 0;

  /** The last 200 messages that were told and not recalled, the oldest first. */
  get history(): readonly Message[] {
    return [];
  }

  /** What stands in the room, as a score or a pinned line: the last of each, at most 16. */
  get sticky(): readonly Message[] {
    return [];
  }

  get state(): State {
    return { kind: 'idle' };
  }

  get online(): number {
    return 0;
  }

  /** Who the server takes us for. */
  get user(): User | undefined {
    return undefined;
  }

  /** Whether `send` has a chance: this wire, this token and this server allow it. */
  get canSend(): boolean {
    return false;
  }

  get mode(): Mode {
    return { slowMs: 0, levelMin: 0, followersMinS: 0, emoteOnly: false, emergency: false, delayMs: 0 };
  }

  /** How long ago the server accepted something, by the server's clock: `room.ageMs(message.at)`. */
  ageMs(at: number): number {
    return at;
  }

  get debug(): Debug {
    throw new Error('not yet');
  }
}
