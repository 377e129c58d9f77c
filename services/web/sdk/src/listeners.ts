// Who listens to what. What a listener throws is reported, and stops neither the others nor the client.

import type { Events } from './types.js';

type Listener = (event: never) => void;

export class Listeners {
  #kept = new Map<string, Set<Listener>>();

  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void {
    const all = this.#kept.get(name) ?? new Set();
    this.#kept.set(name, all.add(listener));
    return () => all.delete(listener);
  }

  tell = <Name extends keyof Events>(name: Name, event: Events[Name]): void => {
    for (const listener of this.#kept.get(name) ?? []) {
      try {
        (listener as (event: Events[Name]) => void)(event);
      } catch (error) {
        (globalThis.reportError ?? console.error)(error);
      }
    }
  };
}
