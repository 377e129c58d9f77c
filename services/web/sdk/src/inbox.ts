// The way of a message from the wire to the application: each once, none that was taken back, none before its picture. It knows no line.

import { Delay, pictureTime } from './delay.js';
import type { Listeners } from './listeners.js';
import type { Order } from './order.js';
import * as read from './read.js';
import { Recalls } from './recalls.js';
import type { Message, Picture, Recall, User } from './types.js';

const HISTORY_MAX = 200;

/** What the inbox asks of those around it. */
export interface Around {
  tell: Listeners['tell'];
  order: Order;
  serverNow(): number;
  /** A message of this user's: whether it is one that was sent from here, which is glad to hear of it. */
  isSent(id: string): boolean;
}

export class Inbox {
  history: Message[] = [];
  sticky: Message[] = [];
  me: User | undefined;
  delayMs = 0;
  picture: Picture | null = null;
  #delay = new Delay();
  #recalls = new Recalls();
  /** Which kinds of events stand in the room: a later one takes the place of the earlier. */
  #sticks = new Set<string>();

  constructor(readonly around: Around) {}

  get delayed(): number {
    return this.#delay.size;
  }

  take(value: unknown, replay: boolean): void {
    const { order, serverNow, tell, isSent } = this.around;
    const message = read.message(value);
    if (!message) return tell('error', { code: 'bad_frame', message: 'a message without an id' });
    if (!order.take(message.id, message.at) || this.#recalls.has(message, serverNow())) return;
    message.replay = replay;
    message.own = isSent(message.id) || (this.me !== undefined && message.user?.id === this.me.id);
    // Who just said something sees it with the picture that he said it to.
    if (message.at <= this.#horizon() || (message.own && !replay)) return this.#tell(message);
    const dropped = this.#delay.add(message, serverNow());
    if (dropped > 0) tell('gap', { dropped, reason: 'waiting' });
  }

  /** What stands in the room, as the server says on arrival. One that is ahead of the picture waits as any other. */
  stand(values: unknown[]): void {
    this.sticky = [];
    for (const value of values) {
      const message = read.message(value);
      if (!message || this.#recalls.has(message, this.around.serverNow())) continue;
      this.#sticks.add(stickOf(message));
      if (message.at <= this.#horizon()) this.#stick(message);
      else this.take(value, true);
    }
  }

  recall(values: Omit<Recall, 'matches'>): void {
    const matches = this.#recalls.add(values, this.around.serverNow());
    const isKept = (message: Message) => !matches(message);
    this.history = this.history.filter(isKept);
    this.sticky = this.sticky.filter(isKept);
    this.#delay.remove(matches);
    this.around.tell('recall', { ...values, matches });
  }

  /** Tells what is due by now. */
  look(): void {
    if (this.#delay.size === 0) return;
    const horizon = Math.min(this.#horizon(), this.around.serverNow());
    for (const message of this.#delay.due(horizon)) this.#tell(message);
  }

  /** The server time up to which messages may be told. */
  #horizon(): number {
    if (!this.picture && this.delayMs <= 0) return Infinity;
    const now = this.around.serverNow();
    return (this.#pictureTime(now) ?? now) - this.delayMs;
  }

  /** A picture that cannot say where it is follows the clock. */
  #pictureTime(now: number): number | undefined {
    try {
      return this.picture ? pictureTime(this.picture, now) : undefined;
    } catch (error) {
      this.around.tell('error', { code: 'picture', message: String(error) });
      this.picture = null;
      return undefined;
    }
  }

  #tell(message: Message): void {
    this.history = [...this.history, message].slice(-HISTORY_MAX);
    if (this.#sticks.has(stickOf(message))) this.#stick(message);
    this.around.tell('message', message);
  }

  #stick(message: Message): void {
    this.sticky = [...this.sticky.filter((other) => stickOf(other) !== stickOf(message)), message];
  }
}

/** The wire names no sticky key, so events of one kind and name are one thing that stands. */
const stickOf = ({ kind, event }: Message): string => `${kind}/${event ?? ''}`;
