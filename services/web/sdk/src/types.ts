// What an application and the client say to each other. Values only: no behaviour, and nothing of the bytes on the wire.

import type { Env } from './env.js';

/** How the server is spoken to. `sse` only receives. */
export type Wire = 'json' | 'proto' | 'sse';

/** How patient the client is with its line; see `profiles.ts` for the numbers. */
export type ProfileName = 'office' | 'mobile' | 'low-power' | 'camera';

/** Why a token is asked for: `renew` is true when the last one is used up, so a remembered one is of no use. */
export interface TokenAsk {
  renew: boolean;
}

/** A token, or who to ask for one; `null` is a viewer without a name. */
export type TokenSource = string | ((ask: TokenAsk) => string | null | Promise<string | null>);

/**
 * @example
 * ```ts
 * const options: Options = { url: 'https://live.example', room: 'demo', wire: 'proto', profile: 'mobile' };
 * ```
 */
export interface Options {
  /** Where the server is, as `https://live.example`; `wss:` does as well. In a browser it may be left out: the page's own. */
  url?: string;
  room: string;
  token?: TokenSource;
  /** `json` when left out. */
  wire?: Wire;
  /** `office` when left out. */
  profile?: ProfileName;
  /** How much later than the server's `at` a message is told, in milliseconds. */
  delayMs?: number;
  /** How long an unsent message waits for a line, in milliseconds: 30,000 when left out, 45,000 at most. */
  unsentMs?: number;
  /** What the client stands on; for Node before 22 (`{ WebSocket }` of the package `ws`) and for tests. */
  env?: Partial<Env>;
}

export interface User {
  id: string;
  name: string;
  level: number;
  badges: string[];
}

export type Kind = 'chat' | 'gift' | 'super' | 'system' | 'event';
export type Position = 'scroll' | 'top' | 'bottom';
export type Size = 'small' | 'normal' | 'large';

/** One message of the room. Ids are opaque; times are Unix milliseconds of the server. */
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

/** How a room may be spoken in at present. All zero and false = freely. */
export interface Mode {
  slowMs: number;
  levelMin: number;
  followersMinS: number;
  emoteOnly: boolean;
  emergency: boolean;
  delayMs: number;
}

/** What the server said on arrival. */
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

/** Chat that this viewer will not see. */
export interface Gap {
  /** How many; absent when nobody knows. */
  dropped: number | undefined;
  /** The server's word (`slow`, `stale`, `node`), or the client's own: `unreadable`, `waiting` (too many waited for their picture). */
  reason: string;
}

/** Messages that leave every screen. */
export interface Recall {
  ids: readonly string[];
  user: string | undefined;
  through: string | undefined;
  reason: string | undefined;
  /** Whether it means a message that was told before. */
  matches(message: Pick<Message, 'id' | 'user'>): boolean;
}

/** The judge's words that a sender is told; `passed` is the client's own conclusion: the room has it. */
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
  | (string & {});

/** What became of a sent message. */
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

/** How a message looks; all of it may be left out. */
export interface Style {
  color?: string | undefined;
  position?: Position | undefined;
  size?: Size | undefined;
}

/**
 * The answer to a `send`: accepted, or refused with a code. The door's codes are in docs/wire.md; the client's own are
 * `receive_only`, `queue_full` (too many wait), `expired` (no line in time), `unknown` (sent, and never answered), `stopped`, `closed`.
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

/** A word to this user alone. The client acknowledges it, and tells each one once. */
export interface Notice {
  id: string;
  text: string;
  data: unknown;
}

/** How many watch; `approximate` where one node counts alone. */
export interface Online {
  count: number;
  approximate: boolean;
}

/** What went wrong without ending anything: the server's `error`, or the client's own (`bad_frame`, `frame_too_large`, `unknown_type`, `token`, `connect`). */
export interface Trouble {
  code: string;
  message: string;
}

/** The connection has ended, and will not come back before something changes. */
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

/** The events of a room, and what each brings. */
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

/** One change of the connection's state, for the debug view. */
export interface Transition {
  at: number;
  from: State['kind'];
  to: State['kind'];
  why: string;
}

/** The connection's inside, as plain data. */
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

/** Whose picture the danmaku follow: a video element, or any function that tells the server time of the picture that is seen now. */
export type Picture = PictureElement | (() => number | undefined);

/** As much of a video element as is asked. `getStartDate` is there where the browser reads the stream's own dates. */
export interface PictureElement {
  readonly currentTime: number;
  readonly seekable: { readonly length: number; end(index: number): number };
  getStartDate?(): Date;
}
