// Times as people read them, in a moderator's language. Pure, with now as an argument.

/** 13:05:09 today, with the day before it otherwise. */
export function clock(at: number, now: number, lang: string): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  const time = new Date(at).toLocaleTimeString(lang, { hour12: false });
  return isToday ? time : `${new Date(at).toLocaleDateString(lang, { month: 'short', day: 'numeric' })} ${time}`;
}

/** A span in the largest unit that is not too rough, as `Intl` writes it. */
export function span(ms: number, lang: string): string {
  const s = Math.max(0, Math.round(ms / 1000));
  const [value, unit] = s < 60 ? [s, 'second'] : s < 3_600 ? [Math.round(s / 60), 'minute'] : s < 172_800 ? [Math.round(s / 3_600), 'hour'] : [Math.round(s / 86_400), 'day'];
  return value.toLocaleString(lang, { style: 'unit', unit: String(unit), unitDisplay: 'short' });
}

/** 1:05, for what counts down. */
export function countdown(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / 1000));
  const [hours, minutes, seconds] = [Math.floor(s / 3_600), Math.floor(s / 60) % 60, s % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}
