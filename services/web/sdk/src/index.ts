// `@danmaku/client`: one room, watched and spoken in. The surface alone; the connection's life is in `connection.ts`.

export { Danmaku } from './room.js';
export type { Env, News, Socket } from './env.js';
export type * from './types.js';
