// The SDK as an application on a phone uses it.

import { Danmaku, type Env, type News } from '@danmaku/client';
import { WebSocket } from 'ws';
import type { Make } from './client.js';

export const ours: Make = (where, ear) => {
  const news = new Set<(news: News) => void>();
  const room = new Danmaku({
    url: where.url,
    room: where.room,
    ...(where.token === undefined ? {} : { token: where.token }),
    profile: 'mobile',
    env: {
      WebSocket: WebSocket as unknown as NonNullable<Env['WebSocket']>,
      watch(hear) {
        news.add(hear);
        return () => news.delete(hear);
      },
    },
  });
  let isUp = false;
  room.on('state', (state) => {
    if ((state.kind === 'live') === isUp) return;
    isUp = !isUp;
    if (isUp) ear.up();
    else ear.down('reason' in state ? state.reason : state.kind);
  });
  room.on('message', (message) => ear.seen(message));
  return {
    connect: () => room.connect(),
    say: (text) => void room.send(text),
    moved: () => news.forEach((hear) => hear('changed')),
    close: () => room.close(),
  };
};
