// How one line looks on the stage: how tall, in which place, in whose color; pure, no DOM.

import type { Message } from '@danmaku/client';

const SIZES = { small: { scale: 0.78, span: 1 }, normal: { scale: 1, span: 1 }, large: { scale: 1.45, span: 2 } };
const WHITE = '#ffffff';

export interface Look {
  kind: Message['kind'];
  position: Message['position'];
  color: string;
  isDark: boolean;
  /** Of the usual font size. */
  scale: number;
  /** Rows that it takes. */
  span: number;
}

export function lookOf(message: Pick<Message, 'kind' | 'position' | 'color' | 'size'>): Look {
  const color = message.color ?? WHITE;
  const position = message.kind === 'system' ? 'top' : message.position;
  return { kind: message.kind, position, color, isDark: luma(color) < 70, ...SIZES[message.size] };
}

/** Perceived lightness, 0-255: a dark line wants a light outline on a dark stage. */
function luma(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}
