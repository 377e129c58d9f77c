// Which line is opened for which wire. JSON is always at hand; what fewer speak is loaded when it is asked for.

import type { Open } from './line.js';
import type { Wire } from './types.js';
import { json, webSocket } from './websocket.js';

export async function opener(wire?: Wire): Promise<Open> {
  if (wire === 'sse') return (await import('./sse.js')).events;
  return webSocket(wire === 'proto' ? (await import('./proto.js')).proto : json);
}
