// Times as people read them, in a moderator's language. Pure, with now as an argument.

/** A formatter costs a hundred times what it is then asked. */
const formats = new Map<string, { day: Intl.DateTimeFormat; time: Intl.DateTimeFormat }>();

function formatsOf(lang: string) {
  const known = formats.get(lang);
  if (known) return known;
  const day = new Intl.DateTimeFormat(lang, { month: 'short', day: 'numeric' });
  const time = new Intl.DateTimeFormat(lang, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
  formats.set(lang, { day, time });
  return { day, time };
}

/** 13:05:09 today, with the day before it otherwise. */
export function clock(at: number, now: number, lang: string): string {
  const { day, time } = formatsOf(lang);
  const [then, today] = [new Date(at), new Date(now)];
  const isToday = then.getDate() === today.getDate() && Math.abs(now - at) < 86_400_000;
  return isToday ? time.format(then) : `${day.format(then)} ${time.format(then)}`;
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
