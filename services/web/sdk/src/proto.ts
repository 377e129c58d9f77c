// The protobuf wire: `ServerFrame` to the same object as on the JSON wire, and back for `ClientFrame`; proto/danmaku.proto is the original.

import type { Frame } from './line.js';
import type { Codec } from './websocket.js';

/** How a field's number or bytes become its value in JSON. */
type Kind =
  | 'number'
  | 'bool'
  | 'text'
  /** `0xRRGGBB` as `#rrggbb`. */
  | 'color'
  /** JSON in a text. */
  | 'data'
  /** The words of an enum, by number; an unknown number is of a later release, and is left out. */
  | readonly string[]
  | Shape;

type Field = readonly [name: string, kind: Kind, isRepeated?: 'many'];

/** A message's fields by number. */
interface Shape {
  readonly [number: number]: Field;
}

const KINDS = ['chat', 'gift', 'super', 'system', 'event'];
const POSITIONS = ['scroll', 'top', 'bottom'];
const SIZES = ['normal', 'small', 'large'];
const REASONS = ['unknown', 'slow', 'stale', 'node'];
const WORDS = ['passed', 'flagged', 'masked', 'blocked', 'held', 'approved', 'rejected', 'shadowed', 'muted', 'limited', 'repeated', 'thinned', 'shed', 'superseded'];

const user: Shape = { 1: ['id', 'text'], 2: ['name', 'text'], 3: ['level', 'number'], 4: ['badges', 'text', 'many'] };

const message: Shape = {
  1: ['id', 'text'],
  2: ['at', 'number'],
  3: ['user', user],
  4: ['text', 'text'],
  5: ['kind', KINDS],
  6: ['color', 'color'],
  7: ['position', POSITIONS],
  8: ['size', SIZES],
  9: ['event', 'text'],
  10: ['data', 'data'],
  11: ['edited', 'bool'],
};

const mode: Shape = {
  1: ['slow_ms', 'number'],
  2: ['level_min', 'number'],
  3: ['followers_min_s', 'number'],
  4: ['emote_only', 'bool'],
  5: ['emergency', 'bool'],
  6: ['delay_ms', 'number'],
};

const hello: Shape = {
  1: ['version', 'text'],
  2: ['connection', 'text'],
  3: ['node', 'text'],
  4: ['room', 'text'],
  5: ['user', user],
  6: ['now', 'number'],
  7: ['ping_ms', 'number'],
  8: ['idle_ms', 'number'],
  9: ['expires', 'number'],
  10: ['cursor', 'text'],
  11: ['recovered', 'bool'],
  12: ['online', 'number'],
  13: ['mode', mode],
  14: ['state', message, 'many'],
  15: ['can_send', 'bool'],
};

const server: Shape = {
  1: ['hello', hello],
  2: ['batch', { 1: ['cursor', 'text'], 2: ['replay', 'bool'], 3: ['messages', message, 'many'] }],
  3: ['gap', { 1: ['cursor', 'text'], 2: ['dropped', 'number'], 3: ['reason', REASONS], 4: ['from', 'text'], 5: ['to', 'text'] }],
  4: ['recall', { 1: ['ids', 'text', 'many'], 2: ['user', 'text'], 3: ['through', 'text'], 4: ['reason', 'text'] }],
  5: ['mode', mode],
  6: ['ack', { 1: ['client_id', 'text'], 2: ['ok', 'bool'], 3: ['id', 'text'], 4: ['code', 'text'], 5: ['retry_after_ms', 'number'] }],
  7: [
    'verdict',
    { 1: ['client_id', 'text'], 2: ['id', 'text'], 3: ['verdict', WORDS], 4: ['code', 'text'], 5: ['of', 'text'], 6: ['until', 'number'], 7: ['retry_after_ms', 'number'] },
  ],
  8: ['notice', { 1: ['id', 'text'], 2: ['text', 'text'], 3: ['data', 'data'] }],
  9: ['pong', { 1: ['cursor', 'text'], 2: ['at', 'number'], 3: ['now', 'number'], 4: ['online', 'number'], 5: ['approximate', 'bool'] }],
  10: ['reconnect', { 1: ['cursor', 'text'], 2: ['after_ms', 'number'], 3: ['reason', 'text'] }],
  11: ['error', { 1: ['code', 'text'], 2: ['message', 'text'] }],
};

const token: Shape = { 1: ['token', 'text'] };

const client: Shape = {
  1: ['auth', token],
  2: ['refresh', token],
  3: ['send', { 1: ['client_id', 'text'], 2: ['text', 'text'], 3: ['color', 'color'], 4: ['position', POSITIONS], 5: ['size', SIZES] }],
  4: ['ping', { 1: ['at', 'number'] }],
  5: ['ack', { 1: ['notice', 'text'] }],
};

type Values = Record<string, unknown>;

const VARINT = 0;
const BYTES = 2;

/** Bytes that are read from the front; throws where they end too early. */
class Reader {
  at = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** Nothing here is below zero, and times need no more bits than a number has. */
  varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new RangeError('it ends in a number');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new RangeError('a number of more than ten bytes');
  }

  take(length: number): Uint8Array {
    const end = this.at + length;
    if (!(length >= 0 && end <= this.bytes.length)) throw new RangeError('it ends in a field');
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  skip(wireType: number): void {
    if (wireType === VARINT) this.varint();
    else if (wireType === BYTES) this.take(this.varint());
    else if (wireType === 1 || wireType === 5) this.take(wireType === 1 ? 8 : 4);
    else throw new RangeError(`no wire type: ${wireType}`);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readValue(kind: Kind, reader: Reader): unknown {
  if (kind === 'number') return reader.varint();
  if (kind === 'bool') return reader.varint() !== 0;
  if (kind === 'color') return `#${(reader.varint() & 0xffffff).toString(16).padStart(6, '0')}`;
  if (Array.isArray(kind)) return (kind as readonly string[])[reader.varint()];
  const bytes = reader.take(reader.varint());
  if (typeof kind === 'object') return readShape(kind as Shape, bytes);
  return kind === 'data' ? JSON.parse(utf8.decode(bytes)) : utf8.decode(bytes);
}

const wireTypeOf = (kind: Kind): number => (kind === 'number' || kind === 'bool' || kind === 'color' || Array.isArray(kind) ? VARINT : BYTES);

function readShape(shape: Shape, bytes: Uint8Array): Values {
  const values: Values = {};
  for (const reader = new Reader(bytes); reader.at < bytes.length; ) {
    const tag = reader.varint();
    const [name, kind, isRepeated] = shape[Math.floor(tag / 8)] ?? [];
    if (name === undefined || kind === undefined || wireTypeOf(kind) !== (tag & 7)) {
      reader.skip(tag & 7);
      continue;
    }
    const value = readValue(kind, reader);
    if (isRepeated) ((values[name] ??= []) as unknown[]).push(value);
    else if (value !== undefined) values[name] = value;
  }
  return values;
}

/** A number as varint. Times are beyond 32 bits, so no bit operators. */
function varint(value: number): number[] {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return [...bytes, value];
}

const writeText = (text: string): number[] => {
  const bytes = new TextEncoder().encode(text);
  return [...varint(bytes.length), ...bytes];
};

function writeValue(kind: Kind, value: unknown): number[] {
  if (kind === 'color') return varint(parseInt(String(value).slice(1), 16));
  if (Array.isArray(kind)) return varint(Math.max(0, kind.indexOf(String(value))));
  return kind === 'number' ? varint(Math.max(0, Number(value))) : writeText(String(value));
}

function writeShape(shape: Shape, values: Values): number[] {
  return Object.entries(shape as Record<string, Field>).flatMap(([number, [name, kind]]) => {
    const value = values[name];
    return value === undefined ? [] : [...varint(Number(number) * 8 + wireTypeOf(kind)), ...writeValue(kind, value)];
  });
}

/** Reads a `ServerFrame`; one of a later release, which has no name here, is of type `later`. */
export function readServerFrame(bytes: Uint8Array): Frame {
  const [found] = Object.entries(readShape(server, bytes));
  return found ? { type: found[0], ...(found[1] as Values) } : { type: 'later' };
}

/** Writes a `ClientFrame`. */
export function writeClientFrame({ type, ...values }: Frame): Uint8Array<ArrayBuffer> {
  const found = Object.entries(client as Record<string, Field>).find(([, [name]]) => name === type);
  if (!found) throw new TypeError(`a client does not say ${type}`);
  const body = writeShape(found[1][1] as Shape, values);
  return Uint8Array.from([...varint(Number(found[0]) * 8 + BYTES), ...varint(body.length), ...body]);
}

export const proto: Codec = {
  name: 'danmaku.v1.proto',
  read(data) {
    if (typeof data === 'string') throw new TypeError('a text on the protobuf wire');
    return readServerFrame(new Uint8Array(data as ArrayBuffer));
  },
  write: writeClientFrame,
};
