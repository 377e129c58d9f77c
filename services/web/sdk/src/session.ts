// What holds a room together: frames go to their parts, what waits is looked after. It decides nothing itself.

import { connection } from './connection.js';
import { machine } from './env.js';
import { inbox } from './inbox.js';
import type { Frame } from './line.js';
import * as read from './read.js';
import { Recent } from './recent.js';
import type { Sender } from './sender.js';
import type { Debug, Events, Options, Sent, State, Style } from './types.js';

/** How often what waits is looked after: a tenth of a second between picture and text is not seen. */
const LOOK_MS = 100;

/** What was told once, and comes again; the server keeps 200 notices for a user. */
const TOLD_MAX = 200;

export type Tell = <Name extends keyof Events>(name: Name, event: Events[Name]) => void;

export function session(options: Options, tellAll: Tell) {
  const env = { ...machine(), ...options.env };
  const line = connection(options, env, { state: changed, frame: heard, trouble });
  const { order, serverNow, say, sends, state } = line;
  const box = inbox({
    tell,
    trouble,
    order,
    serverNow,
    wake: look,
    isSent: (id) => sender?.isSent(id, env.now()) ?? false,
  });
  const told = new Recent<true>(TOLD_MAX);
  let sender: Sender | undefined;
  let isLooking = false;
  let online = 0;
  let mode = read.mode(undefined);
  let maySend = false;

  const hears = new Map<string, (frame: Frame) => void>(
    Object.entries({
      hello(frame) {
        const hello = read.hello(frame);
        box.me = hello.user;
        maySend = hello.canSend;
        if (maySend && sends) void speak();
        box.stand(read.list(frame['state']));
        tell('hello', hello);
        tell('mode', (mode = hello.mode));
        count(frame);
      },
      batch({ messages, replay }) {
        for (const message of read.list(messages)) if (!isOut()) box.take(message, replay === true);
      },
      gap: (frame) => tell('gap', read.gap(frame)),
      recall: (frame) => box.recall(read.recall(frame)),
      mode: (frame) => tell('mode', (mode = read.mode(frame))),
      ack: (frame) => sender?.ack(frame, env.now()),
      verdict(frame) {
        const verdict = read.verdict(frame);
        sender?.said(verdict, env.now());
        tell('verdict', verdict);
      },
      /** It comes again until it is acknowledged, and is told once. */
      notice(frame) {
        const notice = read.notice(frame);
        if (!notice) return;
        if (told.isNew(notice.id)) tell('notice', notice);
        say({ type: 'ack', notice: notice.id });
      },
      pong: count,
      error: (frame) => tell('error', read.trouble(frame)),
    } satisfies Record<string, (frame: Frame) => void>),
  );

  const isOut = () => state().kind === 'idle';

  /** Who left hears no more than that he did. */
  function tell<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    if (name === 'state' || !isOut()) tellAll(name, event);
  }

  function trouble(code: string, message: unknown): void {
    tell('error', { code, message: String(message) });
  }

  function changed(state: State): void {
    const { kind } = state;
    if (kind === 'live') sender?.resume(env.now());
    if (kind === 'stopped') sender?.close(kind);
    tell('state', state);
    if (kind === 'stopped') tell(kind, state);
  }

  function heard(frame: Frame): void {
    (hears.get(frame.type) ?? later)(frame);
    look();
  }

  /** A type of a later release is passed over, and said once. */
  function later({ type }: Frame): void {
    const name = type.slice(0, 32);
    if (told.isNew(`type ${name}`)) trouble('unknown_type', name);
  }

  function count(frame: Frame): void {
    const { online: found, approximate } = read.pong(frame);
    online = found ?? online;
    tell('online', { count: online, approximate });
  }

  /** Most only watch: what is needed to speak is loaded for who may, or wants to. */
  async function speak(): Promise<void> {
    try {
      const { Sender } = await import('./sender.js');
      sender ??= new Sender(options.unsentMs, env.random, say, (id) => order.has(id));
    } catch (error) {
      trouble('load', error);
    }
  }

  /** Why nothing can be sent at all. */
  function refusal(): string | undefined {
    const codes: { [Kind in State['kind']]?: string } = { idle: 'closed', stopped: 'stopped' };
    return sends ? codes[state().kind] : 'receive_only';
  }

  /** Looks after what waits, now and again until nothing does. */
  function look(): void {
    if (isOut()) return;
    box.look();
    sender?.look(env.now(), state().kind === 'live');
    if (isLooking || !(box.delayed() || sender?.isWaiting)) return;
    isLooking = true;
    env.timer(LOOK_MS, () => {
      isLooking = false;
      look();
    });
  }

  return {
    box,
    state,
    connect: line.connect,
    reconnect: line.reconnect,
    close(): void {
      sender?.close('closed');
      line.close();
    },
    async send(text: string, style: Style): Promise<Sent> {
      if (!refusal() && !sender) await speak();
      const code = refusal();
      if (code || !sender) return { ok: false, code: code ?? 'load', retryAfterMs: undefined, clientId: '' };
      const sent = sender.send(text, style, env.now());
      look();
      return sent;
    },
    online: () => online,
    mode: () => mode,
    canSend: () => maySend && refusal() === undefined,
    ageMs: (at: number) => Math.max(0, serverNow() - at),
    debug(): Debug {
      const { wire = 'json', profile = 'office' } = options;
      return { ...line.debug(), wire, profile, unsent: sender?.unsent ?? 0, delayed: box.delayed() };
    },
  };
}
