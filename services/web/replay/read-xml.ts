// The XML of recorders and video sites: `<d p="seconds,mode,size,color,…" user="name">text</d>`, `<gift>` and `<sc>`. Found by their
// shape and not by an XML parser: real files hold raw controls, lone ampersands and colors called "undefined".

import type { Position, Recording, Row, Size } from './rows';

const ELEMENT = /<(d|sc|gift)\b([^>]*?)(?:\/>|>([\s\S]*?)<\/\1>)/g;
const ATTRIBUTE = /([\w-]+)\s*=\s*"([^"]*)"/g;
const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

export function readXml(text: string): Recording {
  const recording: Recording = { room: '', rows: [], unread: 0, isCut: false, isWhole: /<\/i>\s*$/.test(text) };
  begin(recording, text);
  for (const [, name, attributes, inside] of text.matchAll(ELEMENT)) {
    const row = rowOf(name ?? '', attributesOf(attributes ?? ''), plain(inside ?? ''));
    if (!row) recording.unread += 1;
    else if (row.text !== '') recording.rows.push(row);
  }
  return recording;
}

function begin(recording: Recording, text: string): void {
  const head = text.slice(0, 4_000);
  const ours = attributesOf(/<danmaku\b([^>]*)\/>/.exec(head)?.[1] ?? '');
  recording.room = ours.get('room') ?? plain(/<chatid>([^<]*)<\/chatid>/.exec(head)?.[1] ?? '');
  recording.isCut = ours.get('cut') === 'true';
  const [start, since] = [Number(ours.get('start')), Number(ours.get('since'))];
  if (ours.has('start') && Number.isFinite(start)) recording.startMs = start;
  if (ours.has('since') && Number.isFinite(since)) recording.sinceMs = since;
}

function rowOf(element: string, attributes: Map<string, string>, text: string): Row | undefined {
  if (element === 'd') return line(attributes, text);
  const at = seconds(attributes.get('ts'));
  if (at === undefined) return undefined;
  const name = attributes.get('user') ?? '';
  if (element === 'sc') return { at, kind: 'super', name, text, position: 'scroll', size: 'normal' };
  const said = `${attributes.get('giftname') ?? ''} ×${attributes.get('giftcount') ?? '1'}`;
  return { at, kind: 'gift', name, text: said, position: 'scroll', size: 'normal' };
}

function line(attributes: Map<string, string>, text: string): Row | undefined {
  const [time, mode, size, color] = (attributes.get('p') ?? '').split(',');
  const at = seconds(time);
  if (at === undefined) return undefined;
  const row: Row = { at, kind: 'chat', name: attributes.get('user') ?? '', text, position: position(mode), size: sized(size) };
  const number = Number(color);
  if (color && Number.isInteger(number) && number >= 0 && number < 0xffffff) row.color = `#${number.toString(16).padStart(6, '0')}`;
  return row;
}

function seconds(text: string | undefined): number | undefined {
  const number = Number(text);
  return text !== undefined && text.trim() !== '' && Number.isFinite(number) ? Math.max(0, number) : undefined;
}

function position(mode: string | undefined): Position {
  return mode === '4' ? 'bottom' : mode === '5' ? 'top' : 'scroll';
}

function sized(size: string | undefined): Size {
  const number = Number(size);
  return number > 0 && number < 25 ? 'small' : number > 25 ? 'large' : 'normal';
}

function attributesOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(ATTRIBUTE)].map(([, name, value]) => [name ?? '', plain(value ?? '')]));
}

/** A text as it was said: entities resolved, controls gone. */
function plain(text: string): string {
  const resolved = text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name)] ?? whole;
    const code = decimal === undefined ? parseInt(String(hex), 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
  return resolved.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
}
