// Exports as lines of JSON: a first line that says what it is, messages as the wire says them, and a last line that says it is whole.

import type { Kind, Position, Recording, Row, Size } from './rows';

type Fields = Record<string, unknown>;

const KINDS: readonly Kind[] = ['chat', 'gift', 'super', 'system'];
const POSITIONS: readonly Position[] = ['scroll', 'top', 'bottom'];
const SIZES: readonly Size[] = ['normal', 'small', 'large'];

export function readNdjson(text: string): Recording {
  const recording: Recording = { room: '', rows: [], unread: 0, isCut: false, isWhole: false };
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const fields = objectIn(line);
    if (!fields) recording.unread += 1;
    else if (isFields(fields.export)) begin(recording, fields.export);
    else if (isFields(fields.end)) recording.isWhole = true;
    else take(recording, fields);
  }
  return recording;
}

function begin(recording: Recording, head: Fields): void {
  recording.room = word(head.room);
  recording.isCut = head.cut === true;
  if (typeof head.start === 'number') recording.startMs = head.start;
  if (typeof head.since === 'number') recording.sinceMs = head.since;
}

function take(recording: Recording, message: Fields): void {
  if (message.kind === 'event') return;
  const shownMs = message.shown;
  if (typeof shownMs !== 'number') return void (recording.unread += 1);
  recording.startMs ??= shownMs;
  const row: Row = {
    at: Math.max(0, shownMs - recording.startMs) / 1000,
    kind: oneOf(KINDS, message.kind, 'chat'),
    name: isFields(message.user) ? word(message.user.name) : '',
    text: word(message.text),
    position: oneOf(POSITIONS, message.position, 'scroll'),
    size: oneOf(SIZES, message.size, 'normal'),
  };
  if (row.kind === 'gift') row.text = gift(message.data);
  if (row.kind === 'system') row.position = 'top';
  const color = word(message.color);
  if (/^#[0-9a-f]{6}$/i.test(color)) row.color = color;
  if (row.text !== '') recording.rows.push(row);
}

function gift(data: unknown): string {
  if (!isFields(data)) return '';
  const count = typeof data.count === 'number' ? data.count : 1;
  return `${word(data.name) || word(data.gift)} ×${count}`;
}

function objectIn(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function oneOf<T>(known: readonly T[], value: unknown, otherwise: T): T {
  return known.find((one) => one === value) ?? otherwise;
}
