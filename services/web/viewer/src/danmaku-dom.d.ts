// The library's build for the DOM alone, with as much of its inside as glide.ts needs; the package types only its surface.

declare module 'danmaku/dist/esm/danmaku.dom.js' {
  export interface Comment {
    mode: 'rtl' | 'top';
    render(): HTMLElement;
    x: number;
    y: number;
    width: number;
    height: number;
  }

  export default class Danmaku {
    constructor(options: { container: HTMLElement });
    /** Pixels a second. */
    speed: number;
    readonly comments: Comment[];
    /** `position` counts the comments that were sent on their way. */
    readonly _: { position: number; readonly width: number };
    emit(comment: Pick<Comment, 'mode' | 'render'>): this;
    clear(): this;
    resize(): this;
  }
}
