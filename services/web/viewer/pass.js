// The guest pass: asks the server for a token and renews it; no production login, no DOM, and a token is never stored.

const RENEW_BEFORE_MS = 60_000;

export class Pass {
  #token = null;
  #expires = 0;

  /** `watchOnly` becomes true when the server hands out no guest passes. */
  constructor(name, ask = (url) => fetch(url, { cache: 'no-store' })) {
    this.name = name;
    this.ask = ask;
    this.watchOnly = false;
    this.isFresh = false;
  }

  /** A valid token, or null for those who may only watch; throws when the server cannot be reached. */
  async token(now = Date.now()) {
    this.isFresh = false;
    if (this.#token && now < this.#expires - RENEW_BEFORE_MS) return this.#token;
    const answer = await this.ask(`/dev/token?name=${encodeURIComponent(this.name)}`);
    if (answer.status >= 500 || answer.status === 429) throw new Error(`token: ${answer.status}`);
    this.watchOnly = !answer.ok;
    if (this.watchOnly) return null;
    const { token, expires } = await answer.json();
    this.#token = token;
    this.#expires = millis(expires) ?? now + 3_600_000;
    this.isFresh = true;
    return token;
  }

  get expires() {
    return this.#expires;
  }

  forget() {
    this.#token = null;
  }

  rename(name) {
    this.name = name;
    this.forget();
  }
}

/** JWT words count seconds, the wire counts milliseconds; anything under 1e12 must be seconds. */
export function millis(time) {
  if (!Number.isFinite(time)) return undefined;
  return time < 1e12 ? time * 1000 : time;
}
