// The sample bytes that the server's own tests write: both wires say the same, and what we say it can read.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { kinds, readServerFrame, writeClientFrame, type Shape } from '../src/proto.js';

const folder = new URL('../../../../proto/golden/', import.meta.url);
const names = readdirSync(folder).flatMap((name) => /^(.+)\.bin$/.exec(name)?.[1] ?? []);

test('there are samples of every frame that the server says', () => {
  expect(names.sort()).toEqual([
    'ack',
    'batch',
    'error',
    'gap',
    'hello',
    'mode',
    'notice',
    'pong',
    'recall',
    'reconnect',
    'verdict',
  ]);
});

for (const name of names)
  test(`${name}: the protobuf wire says what the JSON wire says`, () => {
    const json: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
    expect(readServerFrame(readFileSync(new URL(`${name}.bin`, folder)))).toEqual(json);
  });

test('every field stands at its number, also those that no sample has', () => {
  const original = readFileSync(new URL('../../../../proto/danmaku.proto', import.meta.url), 'utf8');
  const messages = new Map(
    [...original.matchAll(/^message (\w+) \{([^}]*)\}/gm)].map(([, name, body]) => [name, body]),
  );
  const names = { verdict: 'Told', noticeAck: 'NoticeAck' } as Record<string, string>;
  const shapes = Object.entries(kinds).filter(
    (entry): entry is [string, Shape] => typeof entry[1] === 'object' && 'fields' in entry[1],
  );
  expect(shapes.length).toBeGreaterThan(15);
  for (const [kind, { fields }] of shapes) {
    const body = messages.get(names[kind] ?? kind.replace(/^./, (letter) => letter.toUpperCase()));
    const numbered = [...(body ?? '').matchAll(/(\w+) = (\d+);/g)].map(([, name, number]) => `${name} ${number}`);
    expect(
      fields.map(({ name }, at) => `${name} ${at + 1}`),
      kind,
    ).toEqual(numbered);
  }
});

test('bytes that end too early, or are none, are an error and never a hang', () => {
  for (const name of names) {
    const bytes = readFileSync(new URL(`${name}.bin`, folder));
    for (let end = 0; end < bytes.length; end += 1) {
      try {
        expect(readServerFrame(bytes.subarray(0, end)).type).toBeTypeOf('string');
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
    for (let at = 0; at < bytes.length; at += 1) {
      const bent = Uint8Array.from(bytes, (byte, place) => (place === at ? byte ^ 0x80 : byte));
      try {
        readServerFrame(bent);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
  }
  expect(() => readServerFrame(new Uint8Array(11).fill(255))).toThrow();
});

test('a field, a frame and an enum value of a later release are passed over', () => {
  // Field 15 of ServerFrame; of pong the fields 20 (text), 21 (8 bytes), 22 (4 bytes) before `online` 7; kind 99.
  expect(readServerFrame(Uint8Array.of(0x7a, 0))).toEqual({ type: 'later' });
  const pong = [0xa2, 1, 1, 65, 0xa9, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0xb5, 1, 1, 2, 3, 4, 0x20, 7];
  expect(readServerFrame(Uint8Array.of(0x4a, pong.length, ...pong))).toEqual({ type: 'pong', online: 7 });
  const message = [0x0a, 1, 0x31, 0x28, 99];
  expect(readServerFrame(Uint8Array.of(0x12, message.length + 2, 0x1a, message.length, ...message))).toEqual({
    type: 'batch',
    messages: [{ id: '1' }],
  });
});

test('a verdict of a later release is unknown and never passed', () => {
  // Field 7 of ServerFrame; of verdict the id and the word, fields 1 and 3. What is below zero has ten bytes.
  for (const number of [[14], [99], [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]]) {
    const verdict = [0x12, 1, 0x31, 0x18, ...number];
    const frame = readServerFrame(Uint8Array.of(0x3a, verdict.length, ...verdict));
    expect(frame).toEqual({ type: 'verdict', id: '1', verdict: 'unknown' });
  }
});

test('a time keeps all its digits both ways', () => {
  const at = 1_764_510_000_123;
  const bytes = writeClientFrame({ type: 'ping', at });
  // A ping's `at` is its field 1, that of a pong (field 9 of ServerFrame) its field 2.
  expect(readServerFrame(Uint8Array.of(0x4a, bytes.length - 2, 0x10, ...bytes.subarray(3)))).toEqual({
    type: 'pong',
    at,
  });
});

test('what a client says, byte for byte', () => {
  const rows = [
    [{ type: 'ping', at: 300 }, '2203' + '08ac02'],
    [{ type: 'refresh', token: 'ab' }, '1204' + '0a026162'],
    [{ type: 'ack', notice: 'n' }, '2a03' + '0a016e'],
    [
      { type: 'send', client_id: 'c', text: '好', color: '#ff8800', position: 'top', size: undefined },
      '1a0f' + '0a0163' + '1203e5a5bd' + '188090fe07' + '2001',
    ],
  ] as const;
  for (const [frame, hex] of rows) expect(Buffer.from(writeClientFrame(frame)).toString('hex')).toBe(hex);
});
