// What was met lately: keys, forgotten when there are too many or in time. Pure; no message is kept.

/** A map that forgets its oldest key when it is full, and each key after a while. */
export class Recent<Value> {
  #kept = new Map<string, { value: Value; until: number }>();

  constructor(
    readonly max: number,
    readonly keepMs = Infinity,
  ) {}

  set(key: string, value: Value, now = 0): void {
    this.#kept.delete(key);
    this.#kept.set(key, { value, until: now + this.keepMs });
    const [oldest = key] = this.#kept.keys();
    if (this.#kept.size > this.max) this.#kept.delete(oldest);
  }

  /** Whether a key that stands for itself is met for the first time. */
  isNew(this: Recent<true>, key: string): boolean {
    const isNew = !this.get(key);
    this.set(key, true);
    return isNew;
  }

  get(key: string, now = 0): Value | undefined {
    const found = this.#kept.get(key);
    if (found && found.until > now) return found.value;
    this.#kept.delete(key);
    return undefined;
  }
}
