// Which lines say the same, so that "666" from 128 people is one line with a number. Pure; who counts is `flight.ts`.

/** More of a text is not compared: the door lets 100 characters in, and somebody else's may let in more. */
const COMPARED_MAX = 400;

/** A text without what makes no difference: width, case, spaces at the ends and runs of them. */
export function plain(text: string): string {
  return text.slice(0, COMPARED_MAX).normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** Equal for lines that say the same: three of a letter are as good as more, so 666 and 66666 are one. */
export function foldKey({ text, position }: { text: string; position: string }): string {
  return `${position} ${plain(text).replace(/(\P{M})\1{3,}/gu, '$1$1$1')}`;
}
