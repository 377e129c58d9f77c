// What a recording is played by: a video that the viewer picked, or a clock of our own that can do the same.

/** As much of a media element as anything here asks for; a `<video>` is one. */
export type Media = Pick<
  HTMLMediaElement,
  'currentTime' | 'paused' | 'playbackRate' | 'duration' | 'play' | 'pause' | 'addEventListener' | 'removeEventListener'
>;

/** A clock that is played like a video without a picture. */
export class Clock extends EventTarget {
  readonly duration: number;
  #at = 0;
  #since = 0;
  #rate = 1;
  #isPaused = true;

  constructor(
    duration: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    super();
    this.duration = Math.max(0, duration);
  }

  get paused(): boolean {
    return this.#isPaused;
  }

  get currentTime(): number {
    if (this.#isPaused) return this.#at;
    return Math.min(this.duration, this.#at + ((this.now() - this.#since) / 1000) * this.#rate);
  }

  set currentTime(second: number) {
    this.#from(Math.min(this.duration, Math.max(0, second)));
    this.#tell('seeking');
  }

  get playbackRate(): number {
    return this.#rate;
  }

  set playbackRate(rate: number) {
    this.#from(this.currentTime);
    this.#rate = rate;
    this.#tell('ratechange');
  }

  /** From the beginning, if it had come to its end. */
  play(): Promise<void> {
    if (this.#isPaused) {
      if (this.#at >= this.duration) this.currentTime = 0;
      this.#from(this.#at);
      this.#isPaused = false;
      this.#tell('play');
    }
    return Promise.resolve();
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#from(this.currentTime);
    this.#isPaused = true;
    this.#tell('pause');
  }

  #from(second: number): void {
    [this.#at, this.#since] = [second, this.now()];
  }

  #tell(event: 'play' | 'pause' | 'seeking' | 'ratechange'): void {
    this.dispatchEvent(new Event(event));
  }
}
