// What a line to the server is, whatever is spoken on it; how one is opened or read stands with its wire.

import type { Env } from './env.js';

/** A frame as docs/wire.md has it in JSON, not yet trusted. */
export interface Frame {
  type: string;
  [field: string]: unknown;
}

export interface Ask {
  env: Env;
  url: string;
  room: string;
  token: string | null;
  /** Where each line that is opened goes on. */
  order: { readonly cursor: string | undefined };
}

/** Who listens to a line. */
export interface Ears {
  frame(frame: Frame): void;
  /** Something came that carries nothing. */
  alive(): void;
  /** Something came that cannot be read. */
  bad(code: string, message: string): void;
  closed(code: number, reason: string, afterMs?: number): void;
}

export interface Line {
  /** Nothing happens on a line that is not open, or only receives. */
  say(frame: Frame): void;
  /** Ends it; nothing more is heard. */
  close(): void;
}

export type Open = (ask: Ask, ears: Ears) => Line;

/** 4 MiB: a thousand messages with 2 KiB of data each are half of it. What is larger is not even read. */
export const FRAME_MAX = 4_194_304;

/** Hears a frame of so many bytes or characters, or says why it is none. */
export function hear(ears: Ears, size: number, read: () => Frame): void {
  if (size > FRAME_MAX) return ears.bad('frame_too_large', `above ${FRAME_MAX}`);
  let frame: Frame;
  try {
    frame = read();
    if (typeof frame.type !== 'string') throw new TypeError('no type');
  } catch (error) {
    return ears.bad('bad_frame', String(error));
  }
  ears.frame(frame);
}

/** Where a room is watched. */
export function address({ url, room, order }: Ask, isSocket: boolean): string {
  const base = isSocket ? url.replace(/^http/, 'ws') : url.replace(/^ws/, 'http');
  const query = order.cursor ? `?since=${encodeURIComponent(order.cursor)}` : '';
  return `${base.replace(/\/+$/, '')}/v1/rooms/${encodeURIComponent(room)}/live${query}`;
}
