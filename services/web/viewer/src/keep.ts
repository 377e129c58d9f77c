// The drawer of this browser: values by name, across visits or for this tab. It may be closed to the page, and nothing
// depends on it.

export interface Drawer {
  get(name: string): string | null;
  set(name: string, value: string): void;
}

/** `storage` is asked for late: where it is closed, even naming it throws. */
export function drawer(storage: () => Storage): Drawer {
  return {
    get(name) {
      try {
        return storage().getItem(name);
      } catch {
        return null;
      }
    },
    set(name, value) {
      try {
        storage().setItem(name, value);
      } catch {
        // Full or closed: then it lasts as long as the page.
      }
    },
  };
}
