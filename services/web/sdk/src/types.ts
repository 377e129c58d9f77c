// What an application and the client say to each other, as values; nothing of the bytes on the wire.

import type { Env } from './env.js';

/**
 * How the server is spoken to. `sse` only receives.
 *
 * @example
 * ```ts
 * const room = new Danmaku({ room: 'demo', wire: 'sse' }); // a dashboard: it only watches
 * ```
 */
export type Wire = 'json' | 'proto' | 'sse';

/**
 * How patient the client is with its line; see `profiles.ts` for the numbers.
 *
 * @example
 * ```ts
 * const room = new Danmaku({ room: 'demo', profile: matchMedia('(pointer: coarse)').matches ? 'mobile' : 'office' });
 * ```
 */
export type ProfileName = 'office' | 'mobile' | 'low-power' | 'camera';

/**
 * Why a token is asked for: `renew` is true when the last one is used up, so a remembered one is of no use.
 *
 * @example
 * ```ts
 * const token = ({ renew }: TokenAsk) => (renew ? askAnew() : (remembered ?? askAnew()));
 * ```
 */
export interface TokenAsk {
  renew: boolean;
}

/**
 * A token, or who to ask for one; `null` is a viewer without a name.
 *
 * @example
 * ```ts
 * const token: TokenSource = async ({ renew }) => (await fetch(`/token?renew=${renew}`)).text();
 * ```
 */
export type TokenSource = string | ((ask: TokenAsk) => string | null | Promise<string | null>);

/**
 * @example
 * ```ts
 * const options: Options = { url: 'https://live.example', room: 'demo', wire: 'proto', profile: 'mobile' };
 * ```
 */
export interface Options {
  /**
   * Where the server is, as `https://live.example`; `wss:` does as well. In a browser it may be left out: the page's
   * own.
   */
  url?: string;
  room: string;
  token?: TokenSource;
  /** `json` when left out. */
  wire?: Wire;
  /** `office` when left out. */
  profile?: ProfileName;
  /** How much later than the server's `at` a message is told, in milliseconds. */
  delayMs?: number;
  /** How long an unsent message waits for a line, in milliseconds: 30,000 when left out, 45,000 at most, 0 for no wait. */
  unsentMs?: number;
  /** What the client stands on; for Node before 22 (`{ WebSocket }` of the package `ws`) and for tests. */
  env?: Partial<Env>;
}

/**
 * @example
 * ```ts
 * const label = ({ name, level, badges }: User) => `${badges.join('')}${name} ${level}`;
 * ```
 */
export interface User {
  id: string;
  name: string;
  level: number;
  badges: string[];
}

/**
 * @example
 * ```ts
 * const isShown = (kind: Kind) => kind === 'chat' || kind === 'super';
 * ```
 */
export type Kind = 'chat' | 'gift' | 'super' | 'system' | 'event';
/**
 * @example
 * ```ts
 * const lane = (position: Position) => (position === 'scroll' ? flying : fixed);
 * ```
 */
export type Position = 'scroll' | 'top' | 'bottom';
/**
 * @example
 * ```ts
 * const pixels: Record<Size, number> = { small: 18, normal: 24, large: 36 };
 * ```
 */
export type Size = 'small' | 'normal' | 'large';

/**
 * One message of the room. Ids are opaque; times are Unix milliseconds of the server.
 *
 * @example
 * ```ts
 * room.on('message', (message) => (message.replay ? list.add(message) : stage.fly(message)));
 * ```
 */
export interface Message {
  id: string;
  /** When the server accepted it. */
  at: number;
  /** Absent for lines of the platform. */
  user: User | undefined;
  text: string;
  kind: Kind;
  /** `#rrggbb`; absent = yours to choose. */
  color: string | undefined;
  position: Position;
  size: Size;
  /** The name of a typed event. */
  event: string | undefined;
  /** What a gift, super-chat or event carries. From outside: check it before use. */
  data: unknown;
  /** A moderator changed the text before letting it through. */
  edited: boolean;
  /** Said earlier: for the list, not for the stage. */
  replay: boolean;
  /** Said by this user. */
  own: boolean;
}

/**
 * How a room may be spoken in at present. All zero and false = freely.
 *
 * @example
 * ```ts
 * room.on('mode', ({ slowMs, emergency }) => composer.limit(slowMs, emergency));
 * ```
 */
export interface Mode {
  slowMs: number;
  levelMin: number;
  followersMinS: number;
  emoteOnly: boolean;
  emergency: boolean;
  delayMs: number;
}

/**
 * What the server said on arrival.
 *
 * @example
 * ```ts
 * room.on('hello', ({ recovered }) => recovered === false && show('some chat was missed'));
 * ```
 */
export interface Hello {
  version: string;
  connection: string;
  node: string;
  room: string;
  user: User | undefined;
  /** When the token ends; absent = never. */
  expires: number | undefined;
  /** Whether nothing was missed since the last connection; absent on the first. */
  recovered: boolean | undefined;
  online: number;
  mode: Mode;
  canSend: boolean;
}

/**
 * Chat that this viewer will not see.
 *
 * @example
 * ```ts
 * room.on('gap', ({ dropped, reason }) => show(`${dropped ?? 'some'} messages were dropped: ${reason}`));
 * ```
 */
export interface Gap {
  /** How many; absent when nobody knows. */
  dropped: number | undefined;
  /**
   * The server's word (`slow`, `stale`, `node`), or the client's own: `unreadable`, `waiting` (too many waited for
   * their picture).
   */
  reason: string;
}

/**
 * Messages that leave every screen.
 *
 * @example
 * ```ts
 * room.on('recall', ({ matches }) => lines.filter((line) => matches(line.message)).forEach((line) => line.remove()));
 * ```
 */
export interface Recall {
  ids: readonly string[];
  user: string | undefined;
  through: string | undefined;
  reason: string | undefined;
  /** Whether it means a message that was told before. */
  matches(message: Pick<Message, 'id' | 'user'>): boolean;
}

/**
 * The judge's words that a sender is told; `passed` is the client's own conclusion: the room has it. A word that you do not
 * know, of a later release, is no `passed`; it may come as `unknown`.
 *
 * @example
 * ```ts
 * const isSeen = (word: Word) => word === 'passed' || word === 'masked';
 * ```
 */
export type Word =
  | 'passed'
  | 'masked'
  | 'blocked'
  | 'held'
  | 'approved'
  | 'rejected'
  | 'muted'
  | 'limited'
  | 'repeated'
  | 'superseded'
  | 'unknown'
  | (string & {});

/**
 * What became of a sent message.
 *
 * @example
 * ```ts
 * room.on('verdict', ({ verdict, until }) => verdict === 'muted' && show(until ? new Date(until) : 'for good'));
 * ```
 */
export interface Verdict {
  clientId: string;
  id: string;
  verdict: Word;
  code: string | undefined;
  /** The id of the first one, for `repeated`. */
  of: string | undefined;
  /** For `muted`; absent = for good. */
  until: number | undefined;
  /** For `limited`; absent = waiting does not help. */
  retryAfterMs: number | undefined;
}

/**
 * How a message looks; all of it may be left out.
 *
 * @example
 * ```ts
 * const style: Style = { color: '#ff8800', position: 'top' };
 * ```
 */
export interface Style {
  color?: string | undefined;
  position?: Position | undefined;
  size?: Size | undefined;
}

/**
 * The answer to a `send`: accepted, or refused with a code. The door's codes are in docs/wire.md; the client's own are
 * `receive_only`, `queue_full` (too many wait), `expired` (no line in time), `unknown` (sent, and never answered),
 * `stopped`, `closed`.
 *
 * @example
 * ```ts
 * const sent: Sent = await room.send('666');
 * if (!sent.ok) show(sent.code, sent.retryAfterMs);
 * ```
 */
export type Sent =
  | {
      ok: true;
      id: string;
      clientId: string;
      /** What the judge said, `passed` once the room has it, or undefined when nobody will say any more. */
      verdict: Promise<Verdict | undefined>;
    }
  | { ok: false; code: string; retryAfterMs: number | undefined; clientId: string };

/**
 * A word to this user alone. The client acknowledges it, and tells each one once.
 *
 * @example
 * ```ts
 * room.on('notice', ({ text }) => toast(text));
 * ```
 */
export interface Notice {
  id: string;
  text: string;
  data: unknown;
}

/**
 * How many watch; `approximate` where one node counts alone.
 *
 * @example
 * ```ts
 * room.on('online', ({ count, approximate }) => show(approximate ? `about ${count}` : `${count}`));
 * ```
 */
export interface Online {
  count: number;
  approximate: boolean;
}

/**
 * What went wrong without ending anything: the server's `error`, or the client's own (`bad_frame`, `frame_too_large`,
 * `unknown_type`, `token`, `picture`; `wire` and `load`: a part of the client could not be loaded).
 *
 * @example
 * ```ts
 * room.on('error', ({ code, message }) => console.warn(code, message));
 * ```
 */
export interface Trouble {
  code: string;
  message: string;
}

/**
 * The connection has ended, and will not come back before something changes.
 *
 * @example
 * ```ts
 * room.on('stopped', ({ code, reason }) => show(code === 4503 ? 'you were removed' : reason));
 * ```
 */
export interface Stopped {
  kind: 'stopped';
  code: number;
  reason: string;
}

/**
 * Where the connection stands.
 *
 * @example
 * ```ts
 * room.on('state', (state) => {
 *   if (state.kind === 'waiting') show(`back in ${Math.ceil((state.until - Date.now()) / 1000)} s`);
 * });
 * ```
 */
export type State =
  | { kind: 'idle' }
  | { kind: 'connecting' }
  | { kind: 'live' }
  | {
      kind: 'waiting';
      /** When it tries again, in Unix milliseconds of this machine. */
      until: number;
      /** The close code; 1006 when the line just ended. */
      code: number;
      reason: string;
    }
  | Stopped;

/**
 * The events of a room, and what each brings.
 *
 * @example
 * ```ts
 * const names: (keyof Events)[] = ['message', 'recall', 'gap'];
 * ```
 */
export interface Events {
  state: State;
  hello: Hello;
  message: Message;
  gap: Gap;
  recall: Recall;
  mode: Mode;
  verdict: Verdict;
  notice: Notice;
  online: Online;
  error: Trouble;
  stopped: Stopped;
}

/**
 * One change of the connection's state, for the debug view.
 *
 * @example
 * ```ts
 * const line = ({ at, to, why }: Transition) => `${new Date(at).toISOString()} ${to}: ${why}`;
 * ```
 */
export interface Transition {
  at: number;
  from: State['kind'];
  to: State['kind'];
  why: string;
}

/**
 * The connection's inside, as plain data.
 *
 * @example
 * ```ts
 * const { roundTripMs, missed, attempts } = room.debug;
 * ```
 */
export interface Debug {
  state: State;
  /** The last 50. */
  transitions: readonly Transition[];
  roundTripMs: number | undefined;
  /** Pings in a row without an answer. */
  missed: number;
  /** Attempts since a connection lasted. */
  attempts: number;
  /** Connections that came to a `hello`, since the client was made. */
  connections: number;
  pingEveryMs: number;
  wire: Wire;
  profile: ProfileName;
  cursor: string | undefined;
  /** Messages that wait to be sent or answered. */
  unsent: number;
  /** Messages that wait for their picture. */
  delayed: number;
  /** Repeats that were not told again. */
  repeats: number;
}

/**
 * Whose picture the danmaku follow: a video element, or any function that tells the server time of the picture that is
 * seen now.
 *
 * @example
 * ```ts
 * const picture: Picture = () => hls.playingDate?.getTime();
 * ```
 */
export type Picture = PictureElement | (() => number | undefined);

/**
 * As much of a video element as is asked. `getStartDate` is there where the browser reads the stream's own dates.
 *
 * @example
 * ```ts
 * room.syncTo(document.querySelector('video')); // an HTMLVideoElement is one
 * ```
 */
export interface PictureElement {
  readonly currentTime: number;
  readonly seekable: { readonly length: number; end(index: number): number };
  getStartDate?(): Date;
}
