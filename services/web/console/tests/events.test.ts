// An event stream cut anywhere gives the same events.

import { describe, expect, it } from 'vitest';
import { EventReader } from '../api/events';

const read = (...pieces: string[]) => {
  const reader = new EventReader();
  return pieces.flatMap((piece) => reader.push(piece));
};
const event = (kind: string, data: string, id = '') => ({ kind, data, id });

describe('an event stream', () => {
  const table: [string, string, ReturnType<typeof event>[]][] = [
    ['one event', 'event: held\nid: 7\ndata: {"id":"1-0-2"}\n\n', [event('held', '{"id":"1-0-2"}', '7')]],
    ['comments are the line being alive', ':\n\n: still here\n\n', []],
    ['no name is a message', 'data: a\n\n', [event('message', 'a')]],
    ['data over lines', 'data: a\ndata:b\ndata:  c\n\n', [event('message', 'a\nb\n c')]],
    ['an id stays until another comes', 'id: 1\ndata: a\n\ndata: b\n\n', [event('message', 'a', '1'), event('message', 'b', '1')]],
    ['a name without data is none, and is forgotten', 'event: gap\n\ndata: a\n\n', [event('message', 'a')]],
    ['unknown fields are passed over', 'retry: 5\nfoo\ndata: a\n\n', [event('message', 'a')]],
    ['carriage returns', 'event: x\r\ndata: a\r\rdata: b\n\n', [event('x', 'a'), event('message', 'b')]],
    ['a mark at the beginning', '\uFEFFdata: a\n\n', [event('message', 'a')]],
    ['an id with a NUL is none', 'id: a\0b\ndata: c\n\n', [event('message', 'c')]],
    ['what did not end is not told', 'data: a\n', []],
  ];
  it.each(table)('%s', (_, text, events) => expect(read(text)).toEqual(events));

  it('is the same wherever it is cut', () => {
    const text = 'event: held\r\nid: 7\r\ndata: {"text":"坏🙂词"}\r\n\r\n:\r\ndata: a\rdata: b\r\r';
    const whole = read(text);
    expect(whole).toHaveLength(2);
    for (let at = 0; at <= text.length; at += 1) expect(read(text.slice(0, at), text.slice(at))).toEqual(whole);
    expect(read(...text)).toEqual(whole);
  });

  it('gives up on a line without an end', () => {
    const reader = new EventReader();
    const piece = 'x'.repeat(1 << 19);
    reader.push(piece);
    reader.push(piece);
    expect(() => reader.push(piece)).toThrow('longer than');
  });
});
