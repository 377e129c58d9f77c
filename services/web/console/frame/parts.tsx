// Small things that every screen is made of. Nothing here knows what it shows.

import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Act, keyFor } from './keys';
import { words } from './words';

/** A text that somebody wrote: it runs in its own direction, and nowhere else. */
export function Said({ children, class: name }: { children: string; class?: string }) {
  return (
    <bdi class={`said ${name ?? ''}`} dir="auto">
      {children}
    </bdi>
  );
}

interface Button {
  onClick: () => void;
  children: ComponentChildren;
  tone?: 'plain' | 'main' | 'bad' | 'good';
  act?: Act;
  disabled?: boolean;
  label?: string;
  pressed?: boolean;
}

export function Button({ onClick, children, tone = 'plain', act, disabled = false, label, pressed }: Button) {
  const key = act && keyFor(act);
  return (
    <button type="button" class={`button is-${tone}`} disabled={disabled} onClick={onClick} aria-label={label} aria-pressed={pressed} aria-keyshortcuts={key || undefined}>
      {children}
      {key && <kbd aria-hidden="true">{key}</kbd>}
    </button>
  );
}

export function Field({ label, children, wide }: { label: string; children: ComponentChildren; wide?: boolean }) {
  return (
    <label class={wide ? 'field is-wide' : 'field'}>
      <span>{label}</span>
      {children}
    </label>
  );
}

export function Check({ label, checked, onChange }: { label: string; checked: boolean; onChange: (is: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

interface Choice<T extends string> {
  label: string;
  options: readonly T[];
  names: Record<string, string>;
  value: T;
  onChange: (value: T) => void;
}

/** One of a few, all of them in sight. */
export function Segments<T extends string>({ label, options, names, value, onChange }: Choice<T>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map((option) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {names[option] ?? option}
        </button>
      ))}
    </div>
  );
}

export function Select<T extends string>({ label, options, names, value, onChange }: Choice<T>) {
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {names[option] ?? option}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** A box above the page; Escape and its button close it. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!box.current?.open) box.current?.showModal();
  }, []);
  const outside = (event: TargetedMouseEvent<HTMLDialogElement>) => event.target === event.currentTarget && onClose();
  return (
    <dialog ref={box} aria-label={title} onClose={onClose} onMouseDown={outside}>
      <div class="dialog">
        <header>
          <h2>{title}</h2>
          <Button onClick={onClose} label={words.value.close}>
            <Glyph name="close" />
          </Button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

const GLYPHS = {
  live: 'M3 5h9M5 9h13M3 13h7M8 17h10',
  book: 'M5 4h11a2 2 0 0 1 2 2v13H7a2 2 0 0 1-2-2zM5 17a2 2 0 0 1 2-2h11',
  people: 'M9 11a3.2 3.2 0 1 0 0-6.4A3.2 3.2 0 0 0 9 11zM3 19c.4-3.4 2.6-5 6-5s5.600 1.600 6 5M15.500 5.200a3 3 0 0 1 0 5.600M17.500 14.500c2 .6 3.200 2 3.500 4.500',
  numbers: 'M4 19V10M10 19V5M16 19v-7M3 19h17',
  log: 'M6 4h12v16H6zM9 8h6M9 12h6M9 16h4',
  nodes: 'M12 4v5M12 9 6 15M12 9l6 6M12 4a1.500 1.500 0 1 0 0 .01M6 17a1.500 1.500 0 1 0 0 .01M18 17a1.500 1.500 0 1 0 0 .01',
  close: 'm6 6 12 12M18 6 6 18',
  keys: 'M3 7h18v10H3zM6.500 10.500h1M10 10.500h1M13.500 10.500h1M17 10.500h1M8 14h8',
  down: 'M12 5v13M6 12l6 6 6-6',
  leave: 'M10 5H5v14h5M14 8l4 4-4 4M18 12H9',
  theme: 'M12 4a8 8 0 1 0 8 8 6 6 0 0 1-8-8z',
} as const;
export type GlyphName = keyof typeof GLYPHS;

export function Glyph({ name }: { name: GlyphName }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={GLYPHS[name]} />
    </svg>
  );
}
