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

/** A bounded map whose keys are forgotten after a while; a key without a value stands for itself. */
export class Remembered {
  #kept = new Map(); // key → {value, until}

  constructor(max, keepMs) {
    this.max = max;
    this.keepMs = keepMs;
  }

  add(key, now, value = key) {
    this.#kept.delete(key);
    this.#kept.set(key, { value, until: now + this.keepMs });
    if (this.#kept.size > this.max) this.#kept.delete(this.#kept.keys().next().value);
  }

  get(key, now) {
    const found = this.#kept.get(key);
    if (found?.until > now) return found.value;
    this.#kept.delete(key);
    return undefined;
  }

  has(key, now) {
    return this.get(key, now) !== undefined;
  }
}

/** A river that was built anew counts its ids from the start, so an id is told apart by its accept time. */
export const keyOf = (message) => `${message.id}@${message.at ?? 0}`;
