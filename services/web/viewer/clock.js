// The server's clock as this page knows it; pure, every time is an argument in milliseconds.

const SAMPLES_MAX = 8;

export class ServerClock {
  #samples = []; // {rtt, offset}; the quickest round trip bends the offset least
  #offset = 0;

  /** A hello says the server's time without a round trip: good enough until the first pong. */
  hello(serverNow, now) {
    if (this.#samples.length === 0 && Number.isFinite(serverNow)) this.#offset = serverNow - now;
  }

  pong(sentAt, serverNow, now) {
    if (!Number.isFinite(sentAt) || !Number.isFinite(serverNow) || sentAt > now) return;
    this.#samples.push({ rtt: now - sentAt, offset: serverNow - (sentAt + now) / 2 });
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
    this.#offset = this.#samples.reduce((best, one) => (one.rtt < best.rtt ? one : best)).offset;
  }

  /** Another node, another clock. */
  reset() {
    this.#samples = [];
  }

  toServer(now) {
    return now + this.#offset;
  }

  /** How long ago the server accepted something, never negative. */
  ageMs(at, now) {
    return Math.max(0, this.toServer(now) - at);
  }
}
