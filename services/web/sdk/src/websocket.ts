// A line over a WebSocket. What the bytes mean is the codec's matter, what to do about an end the connection's.

import { address, hear, type Frame, type Open } from './line.js';

export interface Codec {
  /** The subprotocol. */
  name: string;
  /** Throws at what is no frame. */
  read(data: unknown): Frame;
  write(frame: Frame): string | Uint8Array<ArrayBuffer>;
}

export const json: Codec = {
  name: 'danmaku.v1.json',
  read: JSON.parse as (data: unknown) => Frame,
  write: JSON.stringify,
};

const OPEN = 1;

/** A token goes as a subprotocol: a browser can send no header here. */
export const webSocket =
  (codec: Codec): Open =>
  (ask, ears) => {
    const { WebSocket } = ask.env;
    if (!WebSocket) throw new Error('no WebSocket: give env.WebSocket');
    const socket = new WebSocket(address(ask, true), ask.token ? [codec.name, `bearer.${ask.token}`] : [codec.name]);
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) =>
      hear(ears, (data as string).length ?? (data as ArrayBuffer).byteLength, () => codec.read(data));
    socket.onclose = ({ code, reason }) => ears.closed(code, reason);
    // A close follows, and says more. It stays when the rest is taken off: in Node an error that nobody hears ends the
    // process.
    socket.onerror = () => {};
    return {
      say: (frame) => socket.readyState === OPEN && socket.send(codec.write(frame)),
      close() {
        socket.onmessage = socket.onclose = null;
        socket.close();
      },
    };
  };
