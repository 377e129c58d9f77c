// The bar on top: the connection's state in words and the room's figures; it decides nothing.

export class Status {
  #tick = 0;
  #figures = { received: 0, dropped: 0, skipped: 0 };
  #isAtLeast = false;

  /** `parts` are {bar, state, online, latency, received, dropped, mode, curtain, why}. */
  constructor(parts, words) {
    Object.assign(this, parts);
    this.words = words;
    this.#count({});
  }

  show(state) {
    clearInterval(this.#tick);
    this.bar.dataset.state = state.kind;
    this.#write(state);
    if (state.kind === 'waiting') this.#tick = setInterval(() => this.#write(state), 250);
    this.curtain.hidden = state.kind !== 'stopped';
    if (state.kind === 'stopped') this.why.textContent = this.words.why(state.code);
  }

  #write(state) {
    const left = Math.max(0, Math.ceil((state.until - Date.now()) / 1000));
    const text = this.words.state[state.kind](left);
    if (this.state.textContent !== text) this.state.textContent = text;
    this.state.title = state.code ? this.words.why(state.code) : '';
  }

  /** The people in the room; `isAbout` when this node counts only its own. */
  people(count, isAbout) {
    this.online.hidden = !Number.isFinite(count);
    this.online.lastElementChild.textContent = `${isAbout ? '≈' : ''}${this.words.number(count ?? 0)}`;
  }

  age(ms) {
    this.latency.hidden = false;
    this.latency.lastElementChild.textContent = ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
    this.latency.dataset.pace = ms < 300 ? 'good' : ms < 1500 ? 'fair' : 'slow';
  }

  got(count) {
    this.#count({ received: count });
  }

  /** Lines that will not come; how many is not always known. */
  lost(count) {
    this.#isAtLeast ||= !Number.isFinite(count);
    this.#count({ dropped: count });
  }

  skipped(count) {
    this.#count({ skipped: count });
  }

  #count({ received = 0, dropped = 0, skipped = 0 }) {
    const sum = this.#figures;
    sum.received += received;
    sum.dropped += dropped;
    sum.skipped += skipped;
    this.received.lastElementChild.textContent = this.words.number(sum.received);
    const lost = this.words.lost(sum.dropped, this.#isAtLeast);
    this.dropped.lastElementChild.textContent = lost;
    this.dropped.dataset.any = String(sum.dropped > 0 || this.#isAtLeast);
    this.dropped.title = this.words.droppedHint(lost, sum.skipped);
  }

  rules(mode) {
    const rule = this.words.mode(mode ?? {});
    this.mode.hidden = !rule;
    this.mode.textContent = rule;
  }
}
