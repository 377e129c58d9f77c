// Messages as a room would tell them, for the tests: with everything that is not named at its default.

import type { Message } from '@danmaku/client';

let number = 0;

export function said(text: string, more: Partial<Message> & { by?: string } = {}): Message {
  const { by = 'u', ...fields } = more;
  number += 1;
  return {
    id: `1-0-${number}`,
    at: 1_700_000_000_000 + number,
    user: { id: by, name: by, level: 0, badges: [] },
    text,
    kind: 'chat',
    color: undefined,
    position: 'scroll',
    size: 'normal',
    event: undefined,
    data: undefined,
    edited: false,
    replay: false,
    own: false,
    ...fields,
  };
}
