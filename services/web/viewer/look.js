// How one message may look: color, size, place and kind, with every unknown value at its default; pure, no DOM.

const SIZES = { small: { scale: 0.78, span: 1 }, normal: { scale: 1, span: 1 }, large: { scale: 1.45, span: 2 } };
const POSITIONS = new Set(['top', 'bottom']);
const KINDS = new Set(['gift', 'super', 'system', 'event']);
const WHITE = '#ffffff';

export function lookOf(message) {
  const kind = KINDS.has(message.kind) ? message.kind : 'chat';
  const size = Object.hasOwn(SIZES, message.size ?? '') ? SIZES[message.size] : SIZES.normal;
  const position = kind === 'system' ? 'top' : POSITIONS.has(message.position) ? message.position : 'scroll';
  const color = /^#[0-9a-f]{6}$/i.test(message.color ?? '') ? message.color : WHITE;
  return { kind, position, color, isDark: luma(color) < 70, ...size };
}

/** Perceived lightness, 0-255: a dark line wants a light outline on a dark stage. */
function luma(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}
