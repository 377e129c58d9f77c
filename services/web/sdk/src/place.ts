// Which of two places in a room's log comes first, as far as ids and cursors tell; but for this both are opaque. Pure.

/** A generation, a partition (a room's never changes), in a cursor the next source, and an offset. */
const PLACE = /^(\d{1,15})-\d{1,10}-(?:\d{1,15}-)?(\d{1,15})$/;

/** Below zero when the first comes first; NaN where one of them is no place. */
export function compare(one = '', other = ''): number {
  const [a, b] = [PLACE.exec(one), PLACE.exec(other)];
  return a && b ? Number(a[1]) - Number(b[1]) || Number(a[2]) - Number(b[2]) : NaN;
}
