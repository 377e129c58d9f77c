// The way of a message from the application to the door: a promise of its answer, and of the judge's word. It knows no line.

import type { Frame } from './line.js';
import { Outbox, UNSENT_MS_MAX } from './outbox.js';
import { isStyle, number, text as textOf, verdict as verdictOf, word } from './read.js';
import { Recent } from './recent.js';
import type { Sent, Style, Verdict } from './types.js';
import { Verdicts } from './verdicts.js';

/** The server closes a viewer whose frame is larger. */
const FRAME_BYTES_MAX = 4_096;

const OWN_MAX = 200;

const no = (clientId: string, code: string, retryAfterMs?: number): Sent => ({ ok: false, code, retryAfterMs, clientId });

export class Sender {
  #outbox: Outbox;
  #verdicts = new Verdicts();
  #own = new Recent<true>(OWN_MAX);
  #waiting = new Map<string, (sent: Sent) => void>();

  /** `say` is where frames go, `has` whether the room has an id. */
  constructor(
    unsentMs: number | undefined,
    readonly random: () => number,
    readonly say: (frame: Frame) => void,
    readonly has: (id: string) => boolean,
  ) {
    this.#outbox = new Outbox(Math.min(unsentMs ?? Infinity, UNSENT_MS_MAX));
  }

  get unsent(): number {
    return this.#outbox.size;
  }

  get isWaiting(): boolean {
    return this.#outbox.size > 0 || this.#verdicts.size > 0;
  }

  send(text: string, style: Style, refusal: string | undefined, now: number): Promise<Sent> {
    const clientId = `${this.#random()}-${this.#random()}`;
    const unsent = { clientId, text, style, since: now };
    return new Promise((settle) => {
      if (refusal) settle(no(clientId, refusal));
      else if (typeof text !== 'string' || !isStyle(style)) settle(no(clientId, 'malformed'));
      else if (new TextEncoder().encode(JSON.stringify(frameOf(unsent))).length > FRAME_BYTES_MAX) settle(no(clientId, 'too_long'));
      else if (!this.#outbox.add(unsent)) settle(no(clientId, 'queue_full'));
      else this.#waiting.set(clientId, settle);
    });
  }

  /** A new line. */
  resume(now: number): void {
    this.#outbox.resume(now);
  }

  /** Time passes; `isLive` is whether there is a line to send on. */
  look(now: number, isLive: boolean): void {
    for (const { clientId, code } of this.#outbox.old(now)) this.#settle(no(clientId, code));
    if (isLive) for (const unsent of this.#outbox.due(now)) this.say(frameOf(unsent));
    this.#verdicts.look(now);
  }

  ack(frame: Frame, now: number): void {
    const [clientId, id, code] = [textOf(frame['client_id']), word(frame['id']), textOf(frame['code'])];
    const retryAfterMs = number(frame['retry_after_ms']);
    const isOk = frame['ok'] === true && id !== undefined;
    if (!this.#outbox.answer(clientId, !isOk && code === 'unavailable', retryAfterMs, now)) return;
    if (!isOk) return this.#settle(no(clientId, code || 'unknown', retryAfterMs));
    this.#own.set(id, true);
    const verdict = new Promise<Verdict | undefined>((settle) => this.#verdicts.wait(id, clientId, this.has(id), now, settle));
    this.#settle({ ok: true, id, clientId, verdict });
  }

  verdict(frame: Frame): Verdict {
    const verdict = verdictOf(frame);
    this.#verdicts.said(verdict);
    return verdict;
  }

  /** The room shows a message: whether it was sent from here. */
  isSent(id: string, now: number): boolean {
    this.#verdicts.seen(id, now);
    return this.#own.get(id) === true;
  }

  close(code: string): void {
    for (const over of this.#outbox.close(code)) this.#settle(no(over.clientId, over.code));
    this.#verdicts.close();
  }

  #settle(sent: Sent): void {
    this.#waiting.get(sent.clientId)?.(sent);
    this.#waiting.delete(sent.clientId);
  }

  /** 50 bits; a `client_id` needs to be unlike this user's others of one minute. */
  #random(): string {
    return Math.floor(this.random() * 2 ** 50).toString(36);
  }
}

const frameOf = ({ clientId, text, style: { color, position, size } }: { clientId: string; text: string; style: Style }): Frame => ({
  type: 'send',
  client_id: clientId,
  text,
  color,
  position,
  size,
});
