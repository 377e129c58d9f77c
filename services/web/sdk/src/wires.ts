// Which line is opened for which wire. JSON is always at hand; what fewer need is loaded when it is asked for.

import type { Open } from './line.js';
import type { Options } from './types.js';
import { json, webSocket } from './websocket.js';

export async function opener({ wire, profile }: Options): Promise<Open> {
  if (wire === 'sse') return (await import('./sse.js')).events;
  const open = webSocket(wire === 'proto' ? (await import('./proto.js')).proto : json);
  return profile === 'mobile' ? (await import('./race.js')).race(open) : open;
}
