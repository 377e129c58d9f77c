// A recording: what a room was shown, line by line, in the order of time. Values only; reading files and showing lines are kept out.

export type Kind = 'chat' | 'gift' | 'super' | 'system';
export type Position = 'scroll' | 'top' | 'bottom';
export type Size = 'small' | 'normal' | 'large';

export interface Row {
  /** Seconds from where the recording begins. */
  at: number;
  kind: Kind;
  name: string;
  text: string;
  /** `#rrggbb`; absent is the page's own. */
  color?: string;
  position: Position;
  size: Size;
}

export interface Recording {
  /** Empty where the file does not say. */
  room: string;
  /** When the recording begins, and since when nothing is missing of it; Unix milliseconds, absent where the file does not say. */
  startMs?: number;
  sinceMs?: number;
  rows: Row[];
  /** Lines of the file that could not be read. */
  unread: number;
  /** It has more than one file holds. */
  isCut: boolean;
  /** The file has its end. */
  isWhole: boolean;
}

/** How many of `rows` were shown by `second`. */
export function upTo(rows: readonly Row[], second: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.at ?? Infinity) <= second) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Chat that flies without running into other lines: each takes a lane for as long as it `holds` one, in seconds, and what finds
 * none does not fly. Everything else flies always. */
export function thinned(rows: readonly Row[], lanes: number, holds: (row: Row) => number): Row[] {
  const free: Record<Position, number[]> = { scroll: [], top: [], bottom: [] };
  // Lines that stand stand in the way of those that fly: a quarter of the stage at its top, and one at its foot.
  const most: Record<Position, number> = { scroll: lanes, top: Math.ceil(lanes / 4), bottom: Math.ceil(lanes / 4) };
  return rows.filter((row) => {
    if (row.kind !== 'chat') return true;
    const freeAt = free[row.position];
    const first = freeAt.findIndex((second) => second <= row.at);
    if (first < 0 && freeAt.length >= most[row.position]) return false;
    freeAt[first < 0 ? freeAt.length : first] = row.at + holds(row);
    return true;
  });
}

/** How wide a text is, in the height of its letters: a Han character is as wide as high, a Latin one half of it. */
export function widthOf({ text, size }: Row): number {
  let width = 0;
  for (const character of text) width += character > '\u2e7f' ? 1 : 0.56;
  return width * (size === 'large' ? 1.4 : size === 'small' ? 0.8 : 1);
}

/** How much was said when: the share of the busiest part, for each of so many equal parts. */
export function density(rows: readonly Row[], seconds: number, parts: number): number[] {
  const counts = new Array<number>(parts).fill(0);
  for (const row of rows) {
    const part = Math.min(parts - 1, Math.max(0, Math.floor((row.at / seconds) * parts)));
    counts[part] = (counts[part] ?? 0) + 1;
  }
  const most = counts.reduce((most, count) => Math.max(most, count), 1);
  return counts.map((count) => count / most);
}

/** `1:02:03`, or `2:03` below an hour. */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number: number) => String(number).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
