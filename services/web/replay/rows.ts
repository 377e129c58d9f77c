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

/** Chat that flies: at most so many lines begin in a second, or nobody could read any. Everything else flies always. */
export function thinned(rows: readonly Row[], perSecond: number): Row[] {
  let [second, count] = [-1, 0];
  return rows.filter((row) => {
    if (row.kind !== 'chat') return true;
    const its = Math.floor(row.at);
    [second, count] = its === second ? [second, count + 1] : [its, 1];
    return count <= perSecond;
  });
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
