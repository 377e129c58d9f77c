// Dark or light: as the machine says, until somebody chooses here.

import { signal } from '@preact/signals';

export type Theme = 'dark' | 'light';
export const theme = signal<Theme>('dark');
const KEPT = 'danmaku.console.theme';

export function beginTheme(): void {
  const machine = matchMedia('(prefers-color-scheme: light)');
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(KEPT);
  } catch {
    // Nothing is kept here; the machine's it is.
  }
  show(kept === 'dark' || kept === 'light' ? kept : machine.matches ? 'light' : 'dark');
}

export function flipTheme(): void {
  const other = theme.peek() === 'dark' ? 'light' : 'dark';
  show(other);
  try {
    localStorage.setItem(KEPT, other);
  } catch {
    // It lasts as long as the page then.
  }
}

function show(name: Theme): void {
  theme.value = name;
  document.documentElement.dataset.theme = name;
}
