// The protobuf wire, read and written as the objects of the JSON wire; proto/danmaku.proto is the original. No sockets.

import type { Frame } from './line.js';
import type { Codec } from './websocket.js';

/** How a field's number or bytes become its value in JSON; a list is an enum's words, and a shape a message. */
type Kind = 'number' | 'bool' | 'text' | 'color' | 'data' | readonly string[] | Shape;

interface Field {
  name: string;
  kind: Kind;
  isRepeated: boolean;
}

/** A message's fields; the first has number 1. */
export interface Shape {
  fields: readonly Field[];
}

const WORDS =
  'passed flagged masked blocked held approved rejected shadowed muted limited repeated thinned shed superseded';

/** Kinds with a name of their own; `color` is `0xRRGGBB` as `#rrggbb`, and `data` JSON in a text. */
export const kinds: Record<string, Kind> = {
  number: 'number',
  bool: 'bool',
  text: 'text',
  color: 'color',
  data: 'data',
  kind: ['chat', 'gift', 'super', 'system', 'event'],
  position: ['scroll', 'top', 'bottom'],
  size: ['normal', 'small', 'large'],
  why: ['unknown', 'slow', 'stale', 'node'],
  word: WORDS.split(' '),
};

/** A message out of `name:kind` for each field, in the order of their numbers. */
function shape(text: string): Shape {
  const fields = text.split(' ').map((field): Field => {
    const [, name = '', kind = '', many] = /^(\w+):(\w+)(\[\])?$/.exec(field) ?? [];
    const found = kinds[kind];
    if (!found) throw new TypeError(`no kind: ${field}`);
    return { name, kind: found, isRepeated: many !== undefined };
  });
  return { fields };
}

kinds['user'] = shape('id:text name:text level:number badges:text[]');
kinds['message'] = shape(
  'id:text at:number user:user text:text kind:kind color:color position:position size:size event:text data:data edited:bool',
);
kinds['mode'] = shape(
  'slow_ms:number level_min:number followers_min_s:number emote_only:bool emergency:bool delay_ms:number',
);
kinds['hello'] = shape(
  'version:text connection:text node:text room:text user:user now:number ping_ms:number idle_ms:number expires:number ' +
    'cursor:text recovered:bool online:number mode:mode state:message[] can_send:bool',
);
kinds['batch'] = shape('cursor:text replay:bool messages:message[]');
kinds['gap'] = shape('cursor:text dropped:number reason:why from:text to:text');
kinds['recall'] = shape('ids:text[] user:text through:text reason:text');
kinds['ack'] = shape('client_id:text ok:bool id:text code:text retry_after_ms:number');
kinds['verdict'] = shape('client_id:text id:text verdict:word code:text of:text until:number retry_after_ms:number');
kinds['notice'] = shape('id:text text:text data:data');
kinds['pong'] = shape('cursor:text at:number now:number online:number approximate:bool');
kinds['reconnect'] = shape('cursor:text after_ms:number reason:text');
kinds['error'] = shape('code:text message:text');

const server = shape(
  'hello:hello batch:batch gap:gap recall:recall mode:mode ack:ack verdict:verdict notice:notice pong:pong ' +
    'reconnect:reconnect error:error',
);

kinds['token'] = shape('token:text');
kinds['send'] = shape('client_id:text text:text color:color position:position size:size');
kinds['ping'] = shape('at:number');
kinds['noticeAck'] = shape('notice:text');

const client = shape('auth:token refresh:token send:send ping:ping ack:noticeAck');

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

const isWords = (kind: Kind): kind is readonly string[] => Array.isArray(kind);

const isShape = (kind: Kind): kind is Shape => typeof kind === 'object' && !isWords(kind);

const wireTypeOf = (kind: Kind): number => (isShape(kind) || kind === 'text' || kind === 'data' ? BYTES : VARINT);

/** An enum's value of a later release has no word here, and is left out; a verdict's would then be `passed`. */
function readValue(kind: Kind, reader: Reader): unknown {
  if (kind === 'number') return reader.varint();
  if (kind === 'bool') return reader.varint() !== 0;
  if (kind === 'color') return `#${(reader.varint() & 0xffffff).toString(16).padStart(6, '0')}`;
  if (isWords(kind)) return kind[reader.varint()] ?? (kind === kinds['word'] ? 'unknown' : undefined);
  const bytes = reader.take(reader.varint());
  if (isShape(kind)) return readShape(kind, bytes);
  return kind === 'data' ? JSON.parse(utf8.decode(bytes)) : utf8.decode(bytes);
}

function readShape({ fields }: Shape, bytes: Uint8Array): Values {
  const values: Values = {};
  for (const reader = new Reader(bytes); reader.at < bytes.length;) {
    const tag = reader.varint();
    const field = fields[Math.floor(tag / 8) - 1];
    if (!field || wireTypeOf(field.kind) !== (tag & 7)) {
      reader.skip(tag & 7);
      continue;
    }
    const value = readValue(field.kind, reader);
    if (field.isRepeated) ((values[field.name] ??= []) as unknown[]).push(value);
    else if (value !== undefined) values[field.name] = value;
  }
  return values;
}

/** A number as varint. Times are beyond 32 bits, so no bit operators. */
function varint(value: number): number[] {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return [...bytes, value];
}

const writeBytes = (bytes: ArrayLike<number>): number[] => [...varint(bytes.length), ...Array.from(bytes)];

function writeValue(kind: Kind, value: unknown): number[] {
  if (isShape(kind)) return writeBytes(writeShape(kind, value as Values));
  if (isWords(kind)) return varint(Math.max(0, kind.indexOf(String(value))));
  if (kind === 'color') return varint(parseInt(String(value).slice(1), 16));
  return kind === 'number' ? varint(Math.max(0, Number(value))) : writeBytes(new TextEncoder().encode(String(value)));
}

function writeShape({ fields }: Shape, values: Values): number[] {
  return fields.flatMap(({ name, kind }, at) => {
    const value = values[name];
    return value === undefined ? [] : [...varint((at + 1) * 8 + wireTypeOf(kind)), ...writeValue(kind, value)];
  });
}

/** Reads a `ServerFrame`; one of a later release, which has no name here, is of type `later`. */
export function readServerFrame(bytes: Uint8Array): Frame {
  const [found] = Object.entries(readShape(server, bytes));
  return found ? { type: found[0], ...(found[1] as Values) } : { type: 'later' };
}

/** Writes a `ClientFrame`. */
export function writeClientFrame({ type, ...values }: Frame): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(writeShape(client, { [type]: values }));
}

export const proto: Codec = {
  name: 'danmaku.v1.proto',
  read(data) {
    if (typeof data === 'string') throw new TypeError('a text on the protobuf wire');
    return readServerFrame(new Uint8Array(data as ArrayBuffer));
  },
  write: writeClientFrame,
};
