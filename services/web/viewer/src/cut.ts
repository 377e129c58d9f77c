// Texts that end somewhere: cut between letters, never inside one, with an ellipsis. Pure.

/** A letter may carry marks without end; so many code units are enough for one that means something. */
const UNITS_A_LETTER = 8;

const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** At most so many letters as a reader counts them, and eight times as many code units. */
export function cut(text: string, lettersMax: number): string {
  if (text.length <= lettersMax) return text;
  const unitsMax = lettersMax * UNITS_A_LETTER;
  let kept = '';
  let letters = 0;
  for (const { segment } of clusters.segment(text.slice(0, 2 * unitsMax))) {
    letters += 1;
    if (letters > lettersMax || kept.length + segment.length > unitsMax) return `${kept}…`;
    kept += segment;
  }
  return kept.length < text.length ? `${kept}…` : kept;
}
