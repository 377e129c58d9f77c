// Which key does what, where. Pure: the one table that the page obeys and the help shows. What is done is kept out.

export type Where = 'anywhere' | 'live' | 'book' | 'held' | 'line';

export type Act =
  | 'help' | 'screen-live' | 'screen-book' | 'screen-people' | 'screen-numbers' | 'screen-log' | 'screen-nodes'
  | 'search' | 'leave' | 'undo'
  | 'down' | 'up' | 'now' | 'to-held' | 'to-river'
  | 'mute-1' | 'mute-10' | 'ban' | 'recall' | 'recall-all' | 'allow' | 'why'
  | 'approve' | 'reject' | 'edit' | 'shield'
  | 'add';

export interface Key {
  /** As `KeyboardEvent.key` says it. */
  keys: readonly string[];
  act: Act;
  where: Where;
}

export const KEYS: readonly Key[] = [
  { keys: ['1'], act: 'screen-live', where: 'anywhere' },
  { keys: ['2'], act: 'screen-book', where: 'anywhere' },
  { keys: ['3'], act: 'screen-people', where: 'anywhere' },
  { keys: ['4'], act: 'screen-numbers', where: 'anywhere' },
  { keys: ['5'], act: 'screen-log', where: 'anywhere' },
  { keys: ['6'], act: 'screen-nodes', where: 'anywhere' },
  { keys: ['?'], act: 'help', where: 'anywhere' },
  { keys: ['/'], act: 'search', where: 'anywhere' },
  { keys: ['u'], act: 'undo', where: 'anywhere' },
  { keys: ['Escape'], act: 'leave', where: 'anywhere' },
  { keys: ['j', 'ArrowDown'], act: 'down', where: 'live' },
  { keys: ['k', 'ArrowUp'], act: 'up', where: 'live' },
  { keys: ['End', 'G', '.'], act: 'now', where: 'live' },
  { keys: ['h', 'ArrowRight'], act: 'to-held', where: 'live' },
  { keys: ['l', 'ArrowLeft'], act: 'to-river', where: 'live' },
  { keys: ['S'], act: 'shield', where: 'live' },
  { keys: ['m'], act: 'mute-1', where: 'line' },
  { keys: ['M'], act: 'mute-10', where: 'line' },
  { keys: ['b'], act: 'ban', where: 'line' },
  { keys: ['r'], act: 'recall', where: 'line' },
  { keys: ['R'], act: 'recall-all', where: 'line' },
  { keys: ['w'], act: 'why', where: 'line' },
  { keys: ['a'], act: 'allow', where: 'line' },
  { keys: ['a'], act: 'approve', where: 'held' },
  { keys: ['x'], act: 'reject', where: 'held' },
  { keys: ['e'], act: 'edit', where: 'held' },
  { keys: ['j', 'ArrowDown'], act: 'down', where: 'book' },
  { keys: ['k', 'ArrowUp'], act: 'up', where: 'book' },
  { keys: ['n'], act: 'add', where: 'book' },
];

export interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  repeat: boolean;
}

/** What a key means where the moderator is; nothing while he writes, but for Escape. A key held down only walks. */
export function actOf(pressed: Pressed, isWriting: boolean, where: readonly Where[]): Act | undefined {
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return undefined;
  if (isWriting && pressed.key !== 'Escape') return undefined;
  const fits = KEYS.filter((key) => key.keys.includes(pressed.key) && (key.where === 'anywhere' || where.includes(key.where)));
  // The narrower place wins: on a held card `a` lets it through.
  const found = fits.find((key) => key.where === where.at(-1)) ?? fits[0];
  const walks = found?.act === 'down' || found?.act === 'up';
  return pressed.repeat && !walks ? undefined : found?.act;
}

/** How a key is written on the page. */
export function cap(key: string): string {
  const caps: Record<string, string> = { ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' };
  return caps[key] ?? (/^[A-Z]$/.test(key) ? `⇧${key}` : key);
}

/** The first key for something. */
export function keyFor(act: Act): string {
  return cap(KEYS.find((key) => key.act === act)?.keys[0] ?? '');
}
