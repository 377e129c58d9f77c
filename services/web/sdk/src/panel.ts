// The debug view as a small panel: an entry of its own, so that nobody carries it who shows none. It styles nothing.

import type { Danmaku } from './room.js';

const AGAIN_MS = 1_000;

/**
 * Shows the connection's inside in an element, anew each second; the answer ends it. Bring your own style: it is a
 * `dl`, and an `ol` of transitions.
 *
 * @example
 * ```ts
 * import { debugPanel } from '@danmaku/client/panel';
 * const end = debugPanel(room, document.querySelector('#debug'));
 * ```
 */
export function debugPanel(room: Danmaku, element: Element): () => void {
  const show = () => element.replaceChildren(facts(room), transitions(room));
  show();
  const off = room.on('state', show);
  const timer = setInterval(show, AGAIN_MS);
  return () => {
    off();
    clearInterval(timer);
    element.replaceChildren();
  };
}

function facts(room: Danmaku): Element {
  const { state, transitions: _, ...rest } = room.debug;
  const rows = Object.entries({ state: state.kind, ...rest });
  return make('dl', ...rows.flatMap(([name, value]) => [make('dt', name), make('dd', words(value))]));
}

/** The newest first. */
function transitions(room: Danmaku): Element {
  const lines = room.debug.transitions.map(({ at, to, why }) =>
    make('li', `${new Date(at).toLocaleTimeString()} ${to}: ${why}`),
  );
  return make('ol', ...lines.reverse());
}

const words = (value: unknown): string =>
  typeof value === 'number' ? String(Math.round(value)) : String(value ?? '–');

function make(name: string, ...children: (string | Node)[]): Element {
  const element = document.createElement(name);
  element.append(...children);
  return element;
}
