// What a client does after each close code; the server's side of the table is proto/src/close.rs. Pure.

/** `back` by backoff; `renew`: a fresh token first; `stop`: not before something changes. */
export type Next = 'back' | 'renew' | 'stop';

export const NORMAL = 1000;
const EXPIRED = 4005;
export const UNAUTHORIZED = 4501;

/** The line just ended, and nobody said why. */
export const ABNORMAL = 1006;

/**
 * RFC 6455: goodbye, and the codes that say the two ends disagree about the protocol; the same client would be closed
 * again.
 */
const STOPS = new Set([NORMAL, 1002, 1003, 1007, 1008, 1009, 1010]);

export function afterClose(code: number): Next {
  if (code === EXPIRED) return 'renew';
  return STOPS.has(code) || code >= 4500 ? 'stop' : 'back';
}
