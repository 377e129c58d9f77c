// The way of a message to the application: once, not if taken back, not before its picture. It knows no line.

import type { Delay } from './delay.js';
import type { Order } from './order.js';
import * as read from './read.js';
import { Recalls } from './recalls.js';
import type { Events, Message, Picture, Recall, User } from './types.js';

type Said = Omit<Message, 'replay' | 'own'>;

const HISTORY_MAX = 200;

/** What the inbox asks of those around it. */
export interface Around {
  tell<Name extends keyof Events>(name: Name, event: Events[Name]): void;
  trouble(code: string, message: unknown): void;
  order: Order;
  serverNow(): number;
  /** A message of the room: whether it was sent from here, where somebody is glad to hear of it. */
  isSent(id: string): boolean;
  /** Something waits, so somebody has to look after it. */
  wake(): void;
}

export type Inbox = ReturnType<typeof inbox>;

export function inbox({ tell, trouble, order, serverNow, isSent, wake }: Around) {
  const recalls = new Recalls();
  /** Which kinds of events stand in the room: a later one takes the place of the earlier. */
  const sticks = new Set<string>();
  let delay: Delay | undefined;

  const own = {
    history: [] as Message[],
    sticky: [] as Message[],
    me: undefined as User | undefined,
    delayMs: 0,
    picture: null as Picture | null,
    delayed: () => delay?.size ?? 0,
    take,
    stand,
    recall,
    look,
  };
  return own;

  function take(value: unknown, replay: boolean): void {
    const said = read.message(value);
    if (!said) return trouble('bad_frame', 'no id');
    if (!order.take(said.id, said.at) || isRecalled(said)) return;
    const isOwn = isSent(said.id) || (own.me !== undefined && said.user?.id === own.me.id);
    const message = { ...said, replay, own: isOwn };
    // Who just said something sees it with the picture that he said it to.
    if (isFree() || (isOwn && !replay)) show(message);
    else void hold(message);
  }

  /** What stands in the room, as the server says on arrival. Where danmaku follow a picture, so does this. */
  function stand(values: unknown[]): void {
    own.sticky = [];
    for (const value of values) {
      const said = read.message(value);
      if (!said || isRecalled(said)) continue;
      sticks.add(stickOf(said));
      // What was told before the line broke is not taken anew.
      if (isFree() || (order.has(said.id) && !delay?.has(said.id))) stick({ ...said, replay: true, own: false });
      else take(value, true);
    }
  }

  function recall(values: Omit<Recall, 'matches'>): void {
    const matches = recalls.add(values, serverNow());
    const isKept = (message: Message) => !matches(message);
    own.history = own.history.filter(isKept);
    own.sticky = own.sticky.filter(isKept);
    delay?.remove(matches);
    tell('recall', { ...values, matches });
  }

  /** Tells what is due by now. */
  function look(): void {
    try {
      delay?.due(own.picture, own.delayMs, serverNow()).forEach(show);
    } catch (error) {
      own.picture = null;
      trouble('picture', error);
    }
  }

  function isFree(): boolean {
    return !own.picture && !(own.delayMs > 0);
  }

  function isRecalled(said: Said): boolean {
    return recalls.has(said, serverNow());
  }

  /** What is needed to wait is loaded for who lets danmaku wait. */
  async function hold(message: Message): Promise<void> {
    let dropped = 1;
    try {
      const { Delay } = await import('./delay.js');
      if (isRecalled(message)) return;
      dropped = (delay ??= new Delay()).add(message, serverNow());
      wake();
    } catch (error) {
      trouble('load', error);
    }
    if (dropped > 0) tell('gap', { dropped, reason: 'waiting' });
  }

  function show(message: Message): void {
    own.history = [...own.history, message].slice(-HISTORY_MAX);
    if (sticks.has(stickOf(message))) stick(message);
    tell('message', message);
  }

  function stick(message: Message): void {
    own.sticky = [...own.sticky.filter((other) => stickOf(other) !== stickOf(message)), message];
  }
}

/** The wire names no sticky key, so events of one kind and name are one thing that stands. */
const stickOf = ({ kind, event }: Said): string => `${kind}/${event}`;
