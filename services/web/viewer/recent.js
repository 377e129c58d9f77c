// What the page has met lately, bounded; pure, keeps keys only and never a message, and reads no clock.

/** A set that forgets its oldest key when it is full. */
export class Recent {
  #keys = new Set();

  constructor(max) {
    this.max = max;
  }

  /** Adds a key; false when it was known already. */
  add(key) {
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    if (this.#keys.size > this.max) this.#keys.delete(this.#keys.values().next().value);
    return true;
  }

  has(key) {
    return this.#keys.has(key);
  }
}

/** A bounded set whose keys are forgotten after a while. */
export class Remembered {
  #until = new Map();

  constructor(max, keepMs) {
    this.max = max;
    this.keepMs = keepMs;
  }

  add(key, now) {
    this.#until.delete(key);
    this.#until.set(key, now + this.keepMs);
    if (this.#until.size > this.max) this.#until.delete(this.#until.keys().next().value);
  }

  has(key, now) {
    const until = this.#until.get(key);
    if (until === undefined) return false;
    if (until > now) return true;
    this.#until.delete(key);
    return false;
  }
}

/** A river that was built anew counts its ids from the start, so an id is told apart by its accept time. */
export const keyOf = (message) => `${message.id}@${message.at ?? 0}`;
