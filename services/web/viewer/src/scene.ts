// Lets the scene stand still when the page cannot draw fast enough, so that the lines stay fluent; it draws nothing.

const FRAMES_PER_S_MIN = 40;
const SAMPLE_MS = 2_000;
const REST_MS = 8_000; // between two samples, so that watching costs next to nothing
const SLOW_SAMPLES_MAX = 2;

export function watchFrames(scene: Element, slow = 0): void {
  countFrames((framesPerS, wasSeen) => {
    const slowNow = wasSeen && framesPerS < FRAMES_PER_S_MIN ? slow + 1 : 0;
    if (slowNow >= SLOW_SAMPLES_MAX) scene.classList.add('is-still');
    else setTimeout(() => watchFrames(scene, slowNow), slowNow ? 0 : REST_MS);
  });
}

/** A hidden page draws no frames and says nothing about how fast it could. */
function countFrames(done: (framesPerS: number, wasSeen: boolean) => void): void {
  const start = performance.now();
  let frames = 0;
  let wasSeen = !document.hidden;
  const step = (now: number) => {
    frames += 1;
    wasSeen &&= !document.hidden && now - start < SAMPLE_MS * 2;
    if (now - start < SAMPLE_MS) requestAnimationFrame(step);
    else done((frames * 1000) / (now - start), wasSeen);
  };
  requestAnimationFrame(step);
}
