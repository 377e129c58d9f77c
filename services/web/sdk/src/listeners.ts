// Who listens to what. What a listener throws is reported, and stops neither the others nor the client.

import type { Events } from './types.js';

type Listener = (event: never) => void;

export class Listeners {
  #kept: Partial<Record<keyof Events, Set<Listener>>> = {};

  /**
   * Listens; the answer ends it. What a listener throws is reported, and stops nothing.
   *
   * @example
   * ```ts
   * const off = room.on('recall', (recall) => lines.filter(recall.matches).forEach(remove));
   * ```
   */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void {
    const all = (this.#kept[name] ??= new Set());
    all.add(listener);
    return () => all.delete(listener);
  }

  protected readonly tell = <Name extends keyof Events>(name: Name, event: Events[Name]): void => {
    // Of those who listen now: one who ends his and listens anew must not be told twice, and so without end.
    for (const listener of [...(this.#kept[name] ?? [])]) {
      try {
        (listener as (event: Events[Name]) => void)(event);
      } catch (error) {
        (globalThis.reportError ?? console.error)(error);
      }
    }
  };
}
