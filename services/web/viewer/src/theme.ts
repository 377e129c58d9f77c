// Dark or light, as this viewer or his machine says. The stage stays a stage: what changes is all around it.

import type { Theme } from './taste.js';

const light = matchMedia('(prefers-color-scheme: light)');
let chosen: Theme = 'auto';

export function wear(theme: Theme): void {
  chosen = theme;
  const isLight = theme === 'light' || (theme === 'auto' && light.matches);
  document.documentElement.dataset.theme = isLight ? 'light' : 'dark';
  document.querySelector('meta[name=theme-color]')?.setAttribute('content', isLight ? '#f3f1fb' : '#070614');
}

light.addEventListener('change', () => wear(chosen));
