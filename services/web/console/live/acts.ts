// What a moderator does to a message or its author: asked of the service, said in a note, with the way back where the service has one.
// Which key it was is kept out.

import type { Answer } from '../api/client';
import type { Api, Impose } from '../api/api';
import type { Hold } from '../api/shapes';
import type { Notes } from '../frame/notes';
import type { Words } from '../frame/words';
import type { Line } from './river';

type Who = Pick<Line, 'user' | 'name'>;

/** The room's own list of phrases that are let through; made when it is first needed. */
export const ALLOWED = 'let-through';

export class Acts {
  constructor(
    private readonly room: string,
    private readonly api: Api,
    private readonly notes: Notes,
    private readonly words: () => Words,
  ) {}

  async mute(who: Who, seconds: number): Promise<void> {
    const subject = `user/${who.user}`;
    const answer = await this.api.mute(this.room, { subject, seconds });
    this.tell(answer, this.words().done.muted(who.name, seconds), () => this.unmute(subject));
  }

  async ban(who: Who): Promise<void> {
    const subject = `user/${who.user}`;
    const answer = await this.api.ban({ subject, permanent: true, room: this.room });
    this.tell(answer, this.words().done.banned(who.name), () => this.unban(subject));
  }

  async impose(kind: 'mute' | 'ban', impose: Impose): Promise<boolean> {
    const answer = kind === 'mute' ? await this.api.mute(this.room, impose) : await this.api.ban(impose);
    const lift = () => (kind === 'mute' ? this.unmute(impose.subject) : this.unban(impose.subject));
    return this.tell(answer, this.words().done[kind === 'mute' ? 'muted' : 'banned'](impose.subject, impose.seconds ?? 0), lift);
  }

  async unmute(subject: string): Promise<void> {
    this.tell(await this.api.unmute(this.room, subject), this.words().done.unmuted(subject));
  }

  async unban(subject: string): Promise<void> {
    this.tell(await this.api.unban(subject), this.words().done.unbanned(subject));
  }

  async recall(line: Pick<Line, 'id'>): Promise<void> {
    this.tell(await this.api.recall(this.room, [line.id]), this.words().done.recalled);
  }

  /** What he said in the last ten minutes. */
  async recallAll(who: Who): Promise<void> {
    const answer = await this.api.recallOf(this.room, who.user, 600);
    const count = answer.ok ? (answer.value.count ?? 0) : 0;
    this.tell(answer, this.words().done.recalledAll(who.name, count));
  }

  async approve(hold: Pick<Hold, 'id'>, text?: string): Promise<void> {
    await this.decided(hold.id, await this.api.approve(hold.id, text), this.words().done.approved);
  }

  async reject(hold: Pick<Hold, 'id'>): Promise<void> {
    await this.decided(hold.id, await this.api.reject(hold.id), this.words().done.rejected);
  }

  /** Lets a phrase through in this room from now on, whichever entry finds it. */
  async allow(phrase: string): Promise<boolean> {
    const lists = await this.api.lists(this.room);
    if (!lists.ok) return this.tell(lists, '');
    if (!lists.value.lists.some(({ name }) => name === ALLOWED)) {
      const made = await this.api.putList(this.room, ALLOWED, { mode: 'enforce', comment: '' }, {});
      if (!made.ok) return this.tell(made, '');
    }
    // It collides with the word that it frees, as it should: that doubt is answered here.
    const answer = await this.api.edit(this.room, ALLOWED, { add: [{ text: phrase, kind: 'allow' }], force: true });
    return this.tell(answer, this.words().done.allowed(phrase), async () => {
      this.tell(await this.api.edit(this.room, ALLOWED, { remove: [phrase] }), this.words().done.forbidden(phrase));
    });
  }

  /** The room slow and for its followers, for twenty minutes; taken back it is what it was. */
  async shield(): Promise<void> {
    const lower = async () => void this.tell(await this.api.lower(this.room), this.words().done.mode);
    this.tell(await this.api.shield(this.room, 20), this.words().done.mode, lower);
  }

  /** Who is second hears who was first. */
  private async decided(id: string, answer: Answer<unknown>, done: string): Promise<void> {
    if (answer.ok || answer.refusal.status !== 409) return void this.tell(answer, done);
    const first = await this.api.hold(id);
    const decision = first.ok ? first.value.decision : undefined;
    this.notes.say(decision ? this.words().done.second(decision.outcome, decision.by) : answer.refusal.message, 'no');
  }

  private tell(answer: Answer<unknown>, done: string, undo?: () => Promise<void>): boolean {
    if (answer.ok) this.notes.say(done, 'done', undo);
    else this.notes.say(this.words().refused(answer.refusal), 'no');
    return answer.ok;
  }
}
