// The token: whom to ask for it, and whether asking again can help. It is remembered by whom is asked, never here.

import type { TokenSource } from './types.js';

export class Pass {
  #isSpoilt = false;
  /** The last one was asked for as a new one, and the server has not greeted it yet. */
  #isFresh = false;

  constructor(readonly source: TokenSource | undefined) {}

  /** Rejects as the one who is asked does. */
  async token(): Promise<string | null> {
    if (typeof this.source !== 'function') return this.source ?? null;
    const renew = this.#isSpoilt;
    const token: unknown = await this.source({ renew });
    if (token !== null && typeof token !== 'string') throw new TypeError('no token');
    this.#isFresh = renew;
    this.#isSpoilt = false;
    return token;
  }

  /** The server took it. */
  good(): void {
    this.#isFresh = this.#isSpoilt = false;
  }

  /** It is used up; false where nobody can bring another. */
  spoil(): boolean {
    this.#isSpoilt = typeof this.source === 'function';
    return this.#isSpoilt;
  }

  /**
   * The server does not take it: a restarted one has other keys, so one new token is worth a try, and a second is not.
   */
  refuse(): boolean {
    return !this.#isFresh && this.spoil();
  }
}
