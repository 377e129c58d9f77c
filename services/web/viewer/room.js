// What each frame of the room does to the page; it knows no socket, and the parts it moves know no frames.

import { Recalls } from './recalls.js';
import { keyOf, Recent } from './recent.js';

const SEEN_MAX = 16_384; // 75 s of history at the judge's 200 messages a second are 15,000
const OWN_MAX = 200;

export class Room {
  #seen = new Recent(SEEN_MAX);
  #notices = new Recent(OWN_MAX);
  #mine = new Recent(OWN_MAX);
  #recalls = new Recalls();
  #me = null;

  /** `page` holds stage, banners, history, status, announcer, composer, hint, pass, words, and `age(at)`, `reply(frame)`. */
  constructor(page) {
    this.page = page;
  }

  hear(frame) {
    if (Object.hasOwn(hears, frame.type)) hears[frame.type](this, this.page, frame);
  }

  /** A line was accepted as ours; the room may have shown it already. */
  sent(id) {
    if (!id || !this.#mine.add(id)) return;
    this.page.stage.markOwn(id);
    this.page.history.markOwn(id);
  }

  greet({ user }) {
    this.#me = typeof user === 'object' ? user?.id : user;
  }

  /** Every message counts once, whatever it came in. */
  take(message, replay) {
    const { page } = this;
    if (typeof message?.id !== 'string' || !this.#seen.add(keyOf(message))) return;
    page.status.got(weightOf(message));
    if (this.#recalls.has(message, Date.now())) return;
    const own = this.#mine.has(message.id) || Boolean(this.#me && message.user?.id === this.#me);
    if (page.words.said(message)) page.history.add(message, own, replay);
    page.hint.hidden = true;
    if (replay) return;
    if (message.kind === 'gift' || message.kind === 'super') page.banners.show(message);
    else if (message.kind !== 'event') page.stage.offer(message, own);
    if (!own) page.announcer.offer(message);
  }

  recall(frame) {
    const matches = this.#recalls.add(frame, Date.now());
    for (const part of ['stage', 'banners', 'history', 'announcer']) this.page[part].remove(matches);
  }

  isNewNotice(id) {
    return this.#notices.add(id);
  }
}

/** Gifts that came too fast are folded into one message, which says how many it stands for. */
const weightOf = ({ kind, data }) => (kind === 'gift' && data?.folded > 0 ? data.folded : 1);

const hears = {
  hello(room, page, frame) {
    room.greet(frame);
    page.status.people(frame.online);
    page.status.rules(frame.mode);
    const mayWrite = !page.pass.watchOnly && frame.can_send !== false;
    page.composer.allow(mayWrite, page.pass.watchOnly ? page.words.watchOnly : page.words.mayNot);
    page.hint.dataset.ready = 'true';
    // What stands in the room, as a score or a pinned line: said earlier, and still true.
    for (const message of Array.isArray(frame.state) ? frame.state : []) room.take(message, true);
  },
  batch(room, page, { messages, replay }) {
    if (!Array.isArray(messages)) return;
    for (const message of messages) room.take(message, Boolean(replay));
    const latest = messages.at(-1)?.at;
    if (!replay && Number.isFinite(latest)) page.status.age(page.age(latest));
  },
  gap(room, page, { dropped }) {
    page.status.lost(dropped);
  },
  recall(room, page, frame) {
    room.recall(frame);
  },
  mode(room, page, frame) {
    page.status.rules(frame);
  },
  ack(room, page, { ok, id, code, retry_after_ms: waitMs }) {
    if (ok) room.sent(id);
    else page.composer.say(page.words.refused(code, Math.ceil((waitMs ?? 0) / 1000)), 'bad');
  },
  verdict(room, page, frame) {
    page.composer.verdict(frame);
  },
  notice(room, page, { id, text }) {
    if (room.isNewNotice(id)) page.composer.say(text ?? '', 'notice');
    page.reply({ type: 'ack', notice: id });
  },
  pong(room, page, { online, approximate }) {
    if (Number.isFinite(online)) page.status.people(online, approximate);
  },
  error(room, page, { code }) {
    page.composer.say(page.words.refused(code, 0), 'bad');
  },
};
