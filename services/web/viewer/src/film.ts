// The viewer's own picture under the lines: an address on this site or a file that he picks, and the clock that danmaku
// follow then. How they wait is the client's `syncTo`.

import type { Picture } from '@danmaku/client';

export interface FilmParts {
  video: HTMLVideoElement;
  file: HTMLInputElement;
  close: HTMLElement;
}

export class Film {
  #url = '';
  #isFollowed = false;

  /** `follow(picture)` hears which picture is seen; `now` is the server's time. */
  constructor(
    private readonly parts: FilmParts,
    private readonly now: () => number,
    private readonly follow: (picture: Picture | null) => void,
    private readonly failed: () => void,
  ) {
    const { video, file, close } = parts;
    file.addEventListener('change', () => {
      const [picked] = file.files ?? [];
      if (picked) this.show(URL.createObjectURL(picked));
    });
    close.addEventListener('click', () => this.end());
    // Once a film: after a pause its clock goes on where it stood.
    video.addEventListener('playing', () => this.#isFollowed || this.#begin());
    video.addEventListener('error', () => {
      this.end();
      this.failed();
    });
  }

  show(url: string): void {
    this.end();
    const { video, close } = this.parts;
    this.#url = url;
    video.src = url;
    video.hidden = false;
    close.hidden = false;
    document.body.classList.add('has-film');
    // Without a gesture browsers let only silent pictures play.
    video.muted = true;
    void video.play().catch(() => {});
  }

  #begin(): void {
    this.#isFollowed = true;
    this.follow(pictureOf(this.parts.video, this.now));
  }

  end(): void {
    if (!this.#url) return;
    this.#isFollowed = false;
    const { video, file, close } = this.parts;
    URL.revokeObjectURL(this.#url);
    this.#url = '';
    video.hidden = true;
    close.hidden = true;
    video.removeAttribute('src');
    video.load();
    file.value = '';
    document.body.classList.remove('has-film');
    this.follow(null);
  }
}

type Played = Pick<HTMLVideoElement, 'currentTime' | 'duration' | 'seekable' | 'currentSrc'>;

/**
 * A live stream says itself how far behind its edge it is seen. A file knows no time of day: it is taken as live from the
 * moment it begins to play, so who pauses it for a minute reads a minute later. One that he picked is a file, even where it
 * does not say how long it is.
 */
export function pictureOf(video: Played, now: () => number): Picture {
  if (!Number.isFinite(video.duration) && !video.currentSrc.startsWith('blob:')) return video;
  const began = now() - video.currentTime * 1000;
  return () => began + video.currentTime * 1000;
}
