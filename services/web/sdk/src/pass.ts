// The token: whom to ask for it, and whether asking again can help. It is remembered by whom is asked, never here.

import type { TokenSource } from './types.js';

export function pass(source: TokenSource | undefined) {
  let isSpoilt = false;
  /** The last one was asked for as a new one, and the server has not greeted it yet. */
  let isFresh = false;

  /** It is used up; false where nobody can bring another. */
  function spoil(): boolean {
    return (isSpoilt = typeof source === 'function');
  }

  return {
    /** Rejects as the one who is asked does. */
    async token(): Promise<string | null> {
      if (typeof source !== 'function') return source ?? null;
      const renew = isSpoilt;
      const token: unknown = await source({ renew });
      if (token !== null && typeof token !== 'string') throw new TypeError('no token');
      isFresh = renew;
      isSpoilt = false;
      return token;
    },
    /** The server took it. */
    good(): void {
      isFresh = isSpoilt = false;
    },
    spoil,
    /**
     * The server does not take it: a restarted one has other keys, so one new token is worth a try, and a second is
     * not.
     */
    refuse: (): boolean => !isFresh && spoil(),
  };
}
