// The bar below the stage: play, seek, speed, and the curve of how much was said when. It speaks to any media in the same way.

import type { Media } from './media';
import { clockTime, density, type Row } from './rows';
import type { Words } from './words';

const PARTS = 160;
const STEP_S = 5;
const RATES = [0.5, 1, 1.5, 2, 4, 8];

export interface Places {
  play: HTMLButtonElement;
  seek: HTMLInputElement;
  time: HTMLElement;
  rate: HTMLSelectElement;
  curve: SVGPathElement;
}

export class Controls {
  #media: Media | undefined;
  #isSeeking = false;

  constructor(
    private readonly places: Places,
    private readonly words: Words,
    private readonly onTime: (second: number) => void,
  ) {
    const { play, seek, rate } = places;
    this.#name(true);
    for (const one of RATES) rate.add(new Option(`${one}×`, String(one), one === 1, one === 1));
    play.addEventListener('click', () => this.toggle());
    rate.addEventListener('change', () => this.#setRate());
    seek.addEventListener('input', () => this.#seekTo(Number(seek.value)));
    seek.addEventListener('pointerdown', () => (this.#isSeeking = true));
    addEventListener('pointerup', () => (this.#isSeeking = false));
    const tick = () => {
      this.#tell();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** Plays by `media` from now on. */
  drive(media: Media): void {
    if (this.#media && this.#media !== media) this.#media.pause();
    this.#media = media;
    this.#setRate();
    this.places.play.disabled = this.places.seek.disabled = false;
  }

  /** The curve of these rows, `offset` seconds later. */
  draw(rows: readonly Row[], offset: number): void {
    const seconds = this.#duration();
    if (seconds <= 0) return this.places.curve.setAttribute('d', '');
    const shares = density(rows.map((row) => ({ ...row, at: row.at + offset })), seconds, PARTS);
    const points = shares.map((share, part) => `L${part + 0.5} ${(100 - 96 * share).toFixed(1)}`);
    this.places.curve.setAttribute('d', `M0 100 ${points.join(' ')} L${PARTS} 100 Z`);
  }

  toggle(): void {
    const media = this.#media;
    if (!media) return;
    // A video that cannot be played says so itself.
    if (media.paused) media.play().catch(() => {});
    else media.pause();
  }

  pause(): void {
    this.#media?.pause();
  }

  step(direction: 1 | -1): void {
    if (this.#media) this.#seekTo(this.#media.currentTime + direction * STEP_S);
  }

  faster(direction: 1 | -1): void {
    const { rate } = this.places;
    rate.selectedIndex = Math.min(RATES.length - 1, Math.max(0, rate.selectedIndex + direction));
    this.#setRate();
  }

  seekTo(second: number): void {
    this.#seekTo(second);
  }

  #duration(): number {
    const duration = this.#media?.duration ?? 0;
    return Number.isFinite(duration) ? duration : 0;
  }

  #seekTo(second: number): void {
    if (this.#media) this.#media.currentTime = Math.min(this.#duration(), Math.max(0, second));
  }

  #setRate(): void {
    if (this.#media) this.#media.playbackRate = Number(this.places.rate.value) || 1;
  }

  #name(isPaused: boolean): void {
    const { play } = this.places;
    play.title = isPaused ? this.words.play : this.words.pause;
    play.setAttribute('aria-label', play.title);
    play.dataset.state = isPaused ? 'paused' : 'playing';
  }

  #tell(): void {
    const media = this.#media;
    if (!media) return;
    const { play, seek, time } = this.places;
    const [at, duration] = [media.currentTime, this.#duration()];
    if (!media.paused && at >= duration && duration > 0) media.pause();
    if (play.dataset.state !== (media.paused ? 'paused' : 'playing')) this.#name(media.paused);
    const told = `${clockTime(at)} / ${clockTime(duration)}`;
    if (time.textContent !== told) {
      time.textContent = told;
      seek.setAttribute('aria-valuetext', told);
    }
    seek.max = String(duration);
    if (!this.#isSeeking) seek.value = String(at);
    this.onTime(at);
  }
}
