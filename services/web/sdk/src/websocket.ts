// A line over a WebSocket. What the bytes mean is the codec's matter, what to do about an end the connection's.

import { address, FRAME_MAX, TOO_LARGE, type Ears, type Frame, type Open } from './line.js';

export interface Codec {
  /** The subprotocol. */
  name: string;
  /** Throws at what is no frame. */
  read(data: unknown): Frame;
  write(frame: Frame): string | Uint8Array<ArrayBuffer>;
}

export const json: Codec = {
  name: 'danmaku.v1.json',
  read: (data) => JSON.parse(data as string) as Frame,
  write: (frame) => JSON.stringify(frame),
};

const OPEN = 1;

/** A token goes as a subprotocol: a browser can send no header here. */
export const webSocket =
  (codec: Codec): Open =>
  (ask, ears) => {
    const { WebSocket } = ask.env;
    if (!WebSocket) throw new Error('no WebSocket here: give one as env.WebSocket (before Node 22 the package ws), or watch by wire sse');
    const socket = new WebSocket(address(ask, true), ask.token ? [codec.name, `bearer.${ask.token}`] : [codec.name]);
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => hear(codec, data, ears);
    socket.onclose = ({ code, reason }) => ears.closed(code, reason);
    // A close follows, and says more. It stays when the rest is taken off: in Node an error that nobody hears ends the process.
    socket.onerror = () => {};
    return {
      say: (frame) => socket.readyState === OPEN && socket.send(codec.write(frame)),
      close() {
        socket.onmessage = socket.onclose = null;
        socket.close();
      },
    };
  };

function hear(codec: Codec, data: unknown, ears: Ears): void {
  const size = typeof data === 'string' ? data.length : data instanceof ArrayBuffer ? data.byteLength : 0;
  if (size > FRAME_MAX) return ears.bad('frame_too_large', TOO_LARGE);
  let frame: Frame;
  try {
    frame = codec.read(data);
  } catch (error) {
    return ears.bad('bad_frame', String(error));
  }
  if (typeof frame?.type === 'string') ears.frame(frame);
  else ears.bad('bad_frame', 'a frame without a type');
}
