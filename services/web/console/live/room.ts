// Keeps a desk true: watches the room by the public wire and the moderators' stream, and asks for what neither tells. Nothing is
// decided here.

import { Danmaku } from '@danmaku/client';
import type { Api } from '../api/api';
import type { Hold } from '../api/shapes';
import { listen } from '../api/stream';
import type { Session } from '../frame/session';
import { Desk } from './desk';
import { happening } from './happenings';

/** What was refused is told by no event of its own: asked when something was found, and at least so often. */
const REFUSALS_EVERY_MS = 4_000;
/** After something was found or held, for what comes with it. */
const SOON_MS = 300;
/** The close code of a token that is not believed. */
const BAD_TOKEN = 4501;
/** A door that gives bad tokens is not asked in a circle. */
const ANEW_AFTER_MS = 30_000;
/** Refusals asked at a time, and when all of those were new. */
const REFUSALS = 100;
const REFUSALS_MOST = 1_000;

export class Room {
  readonly desk: Desk;
  private readonly danmaku: Danmaku;
  private readonly closing = new AbortController();
  private readonly due = new Map<string, ReturnType<typeof setTimeout>>();
  private listening = new AbortController();
  /** The token that the stream came with last. */
  private shown: string | null = null;
  private cameInMs = 0;
  private isFirstLook = true;

  constructor(
    readonly name: string,
    private readonly api: Api,
    private readonly session: Session,
  ) {
    // How long ago the year 1970 began by the server's clock is the server's time, wherever this machine's stands.
    this.desk = new Desk(name, () => this.danmaku.ageMs(0));
    this.danmaku = new Danmaku({ url: hall(), room: name, token: ({ renew }) => session.token(renew) });
    this.watch();
  }

  close(): void {
    this.closing.abort();
    this.listening.abort();
    this.danmaku.close();
    for (const timer of this.due.values()) clearTimeout(timer);
  }

  /** The queue without it at once, and as the service has it afterwards. */
  async decide(hold: Hold, answered: Promise<unknown>): Promise<void> {
    await this.desk.deciding(hold, answered);
    await this.holds();
  }

  /** Both lines again, at once. */
  reconnect(): void {
    this.danmaku.reconnect();
    this.listen();
  }

  /** A development server forgets its key when it restarts, and gives another token. */
  private async comeInAnew(): Promise<void> {
    const now = Date.now();
    if (now - this.cameInMs < ANEW_AFTER_MS) return;
    this.cameInMs = now;
    if (await this.session.anew()) this.reconnect();
  }

  private watch(): void {
    const { desk, danmaku } = this;
    danmaku.on('message', (message) => desk.hear([message]));
    danmaku.on('recall', (recall) => desk.recalled(recall));
    danmaku.on('gap', ({ dropped }) => (desk.missed.value += dropped ?? 1));
    danmaku.on('online', ({ count }) => (desk.online.value = count));
    danmaku.on('state', (state) => (desk.wire.value = state));
    danmaku.on('stopped', ({ code }) => code === BAD_TOKEN && void this.comeInAnew());
    danmaku.on('hello', (hello) => {
      desk.hello.value = hello;
      desk.online.value = hello.online;
      this.listenAnew();
    });
    danmaku.connect();
    this.listen();
    this.look();
  }

  /** A stream that was refused with a token which is another by now: the wire may have renewed it. */
  private listenAnew(): void {
    if (this.desk.stream.peek() === 'refused' && this.shown !== this.session.current()) this.listen();
  }

  private listen(): void {
    this.listening.abort();
    this.listening = new AbortController();
    void listen({
      path: `/v1/moderation/rooms/${encodeURIComponent(this.name)}/stream`,
      token: () => (this.shown = this.session.current()),
      signal: this.listening.signal,
      onState: (state) => {
        const wasBroken = this.desk.stream.peek() === 'broken';
        this.desk.stream.value = state === 'connecting' && wasBroken ? 'broken' : state;
        if (state === 'open') this.look();
        if (state === 'refused') this.listenAnew();
      },
      onEvent: (event) => {
        const heard = happening(event);
        if (!heard) return;
        this.desk.happens(heard);
        if (heard.kind === 'hits') this.soon('refusals', SOON_MS, () => this.refusals());
        if (heard.kind === 'held') this.soon('holds', SOON_MS, () => this.holds());
        if (heard.kind === 'gap') this.look();
      },
    });
  }

  /** Everything that stands, anew. */
  private look(): void {
    void this.holds();
    void this.refusals();
    void this.api.mode(this.name).then((answer) => answer.ok && (this.desk.mode.value = answer.value));
    void this.api.mutes(this.name).then((answer) => answer.ok && this.desk.mutes(answer.value.sanctions));
    // Who moderates some rooms only is not told of bans but by the stream.
    void this.api.bans().then((answer) => answer.ok && this.desk.bans(answer.value.sanctions));
    void this.api.reports(this.name).then((answer) => {
      if (answer.ok) for (const { id, reports } of answer.value.messages) this.desk.river.report(id, reports);
    });
  }

  private async holds(): Promise<void> {
    const answer = await this.api.holds(this.name);
    if (answer.ok && !this.closing.signal.aborted) this.desk.holds(answer.value.holds);
  }

  private async refusals(): Promise<void> {
    const answer = await this.api.refusals(this.name, REFUSALS);
    if (this.closing.signal.aborted) return;
    if (answer.ok) {
      const fresh = this.desk.refuse(answer.value.refusals);
      if (fresh === REFUSALS && !this.isFirstLook) await this.allRefusals();
      this.isFirstLook = false;
    }
    this.soon('refusals', REFUSALS_EVERY_MS, () => this.refusals());
  }

  private async allRefusals(): Promise<void> {
    const answer = await this.api.refusals(this.name, REFUSALS_MOST);
    if (!answer.ok) return;
    const fresh = this.desk.refuse(answer.value.refusals);
    if (fresh === REFUSALS_MOST) this.desk.missed.value += 1;
  }

  /** Once, after that time, however often it is asked for. What is due sooner wins. */
  private readonly dueAt = new Map<string, number>();

  private soon(what: string, ms: number, act: () => Promise<void>): void {
    const at = Date.now() + ms;
    if (this.closing.signal.aborted || (this.dueAt.get(what) ?? Infinity) <= at) return;
    clearTimeout(this.due.get(what));
    this.dueAt.set(what, at);
    const run = () => {
      this.dueAt.delete(what);
      void act();
    };
    this.due.set(what, setTimeout(run, ms));
  }
}

/** Where rooms are watched: where the service's redirect says, which the page's policy alone lets through; else here. */
function hall(): string {
  return new URLSearchParams(location.search).get('hall') ?? location.origin;
}
