// The way of a message to the door: a promise of its answer, and of the judge's word. It knows no line.

import type { Frame } from './line.js';
import { Outbox, UNSENT_MS_MAX } from './outbox.js';
import { number, shape, style as styles, text as textOf } from './read.js';
import { Recent } from './recent.js';
import type { Sent, Style, Verdict } from './types.js';
import { Verdicts } from './verdicts.js';

/** The server closes a viewer whose frame is larger. */
const FRAME_BYTES_MAX = 4_096;

const OWN_MAX = 200;

const ackOf = shape({ clientId: textOf, ok: Boolean, id: textOf, code: textOf, retryAfterMs: number });

/** Whether a style is one that the door can read; it would answer another with an error that names no message. */
export const isStyle = (given: object): boolean =>
  Object.entries(given).every(([name, value]) => value === undefined || styles[name as 'size']?.(value) === value);

interface Unsent {
  frame: Frame;
  settle(sent: Sent): void;
  refuse(code: string, retryAfterMs?: number): void;
}

export class Sender {
  readonly #outbox: Outbox<Unsent>;
  readonly #verdicts = new Verdicts();
  #count = 0;
  readonly #own = new Recent<true>(OWN_MAX);

  /** `say` is where frames go, `has` whether the room has an id. */
  constructor(
    unsentMs: number | undefined,
    readonly random: () => number,
    readonly say: (frame: Frame) => void,
    readonly has: (id: string) => boolean,
  ) {
    this.#outbox = new Outbox(unsentMs && Math.min(unsentMs, UNSENT_MS_MAX));
  }

  get unsent(): number {
    return this.#outbox.size;
  }

  get isWaiting(): boolean {
    return this.unsent + this.#verdicts.size > 0;
  }

  send(text: string, style: Style, now: number): Promise<Sent> {
    // It needs to be unlike this user's others of one minute, also those from another page.
    const clientId = `${Math.floor(this.random() * 2 ** 50).toString(36)}-${this.#count++}`;
    // Half of a pair is no text, and the server would not say whose it was.
    const frame = {
      ...style,
      type: 'send',
      client_id: clientId,
      text: String(text).replace(/\p{Surrogate}/gu, '\ufffd'),
    };
    return new Promise((settle) => {
      const refuse = (code: string, retryAfterMs?: number) => settle({ ok: false, code, retryAfterMs, clientId });
      if (!isStyle(style)) refuse('malformed');
      else if (new TextEncoder().encode(JSON.stringify(frame)).length > FRAME_BYTES_MAX) refuse('too_long');
      else if (!this.#outbox.add(clientId, { frame, settle, refuse }, now)) refuse('queue_full');
    });
  }

  /** A new line. */
  resume(now: number): void {
    this.#outbox.resume(now);
  }

  /** Time passes; `isLive` is whether there is a line to send on. */
  look(now: number, isLive: boolean): void {
    for (const { what, code } of this.#outbox.end('expired', now)) what.refuse(code);
    if (isLive) for (const { frame } of this.#outbox.due(now)) this.say(frame);
    this.#verdicts.look(now);
  }

  ack(frame: Frame, now: number): void {
    const { clientId, ok, id, code, retryAfterMs } = ackOf(frame);
    const unsent = this.#outbox.answer(clientId, code, retryAfterMs, now);
    if (!unsent) return;
    if (!ok || !id) return unsent.refuse(code || 'unknown', retryAfterMs);
    this.#own.set(id, true);
    const verdict = new Promise<Verdict | undefined>((settle) =>
      this.#verdicts.wait(id, clientId, this.has(id), now, settle),
    );
    unsent.settle({ ok: true, id, clientId, verdict });
  }

  said(verdict: Verdict, now: number): void {
    this.#verdicts.said(verdict, now);
  }

  /** The room shows a message: whether it was sent from here. */
  isSent(id: string, now: number): boolean {
    this.#verdicts.seen(id, now);
    return this.#own.get(id) === true;
  }

  close(code: string): void {
    for (const over of this.#outbox.end(code)) over.what.refuse(over.code);
    this.#verdicts.close();
  }
}
