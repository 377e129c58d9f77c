// Texts that end somewhere: cut between letters, never inside one, with an ellipsis. Pure.

/** A letter may carry marks without end; so many code units are enough for one that means something. */
const UNITS_A_LETTER = 8;

// Firefox before 125 has none: there a letter is a code point.
const clusters = 'Segmenter' in Intl ? new Intl.Segmenter(undefined, { granularity: 'grapheme' }) : undefined;

/** The letters of a text as a reader counts them. */
export function* letters(text: string): Generator<string> {
  if (!clusters) return yield* text;
  for (const { segment } of clusters.segment(text)) yield segment;
}

/** At most so many letters as a reader counts them, and eight times as many code units. */
export function cut(text: string, lettersMax: number): string {
  if (text.length <= lettersMax) return text;
  const unitsMax = lettersMax * UNITS_A_LETTER;
  let kept = '';
  let count = 0;
  for (const letter of letters(text.slice(0, 2 * unitsMax))) {
    count += 1;
    if (count > lettersMax || kept.length + letter.length > unitsMax) return `${kept}…`;
    kept += letter;
  }
  return kept.length < text.length ? `${kept}…` : kept;
}
