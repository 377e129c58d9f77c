// When a page comes back after its socket closed, and when it does not; pure, the caller brings chance and time.

const BASE_MS = 800;
const CAP_MS = 30_000;

// RFC 6455 codes that say the two ends disagree about the protocol: the same page would be closed again.
const OUR_FAULT = new Set([1002, 1003, 1007, 1008, 1009, 1010]);

/** Whether a close code asks for a return: 4500-4999 do not, before something changes. */
export function comesBack(code) {
  return !(code >= 4500 && code <= 4999) && !OUR_FAULT.has(code);
}

/** Exponential backoff with full jitter: anywhere between nothing and a ceiling that doubles up to 30 s. */
export function backoffMs(attempt, random) {
  return Math.round(random * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(attempt, 16)));
}

/** The wait a close reason names, as in `node full, after_ms=2000`; undefined when it names none. */
export function afterMs(reason) {
  const found = /after_ms\W{1,3}(\d{1,7})/.exec(reason ?? '');
  return found ? Number(found[1]) : undefined;
}
