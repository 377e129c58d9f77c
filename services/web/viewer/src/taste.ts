// What this viewer chose for himself: read from what was kept with every unknown value at its default, and written back.
// Pure; where it is kept is `keep.ts`.

/** How much of the stage's height the lines may take. */
export const AREAS = ['quarter', 'half', 'full'] as const;
/** How many lines a row may hold at once. */
export const DENSITIES = ['few', 'usual', 'many', 'all'] as const;
export const THEMES = ['auto', 'dark', 'light'] as const;

export type Area = (typeof AREAS)[number];
export type Density = (typeof DENSITIES)[number];
export type Theme = (typeof THEMES)[number];

export interface Person {
  id: string;
  name: string;
}

export interface Taste {
  opacity: number;
  /** Times the usual. */
  speed: number;
  /** Times the usual. */
  size: number;
  area: Area;
  density: Density;
  /** Whether repeats of a line on the stage count on it instead of flying themselves. */
  folds: boolean;
  theme: Theme;
  /** What he does not want to read, and from whom. */
  words: readonly string[];
  people: readonly Person[];
}

export const USUAL: Taste = {
  opacity: 1,
  speed: 1,
  size: 1,
  area: 'full',
  density: 'usual',
  folds: true,
  theme: 'auto',
  words: [],
  people: [],
};

export const BOUNDS = { opacity: [0.2, 1], speed: [0.5, 2], size: [0.6, 1.6] } as const;

/** 200 words of 50 and 500 people of 200 letters are 110 KB: a fiftieth of what a browser keeps for a page. */
export const WORDS_MAX = 200;
export const PEOPLE_MAX = 500;
const WORD_LENGTH_MAX = 50;
const NAME_LENGTH_MAX = 200;

export function tasteOf(kept: string | null): Taste {
  const said = parsed(kept);
  return {
    opacity: within(said.opacity, 'opacity'),
    speed: within(said.speed, 'speed'),
    size: within(said.size, 'size'),
    area: oneOf(AREAS, said.area) ?? USUAL.area,
    density: oneOf(DENSITIES, said.density) ?? USUAL.density,
    folds: typeof said.folds === 'boolean' ? said.folds : USUAL.folds,
    theme: oneOf(THEMES, said.theme) ?? USUAL.theme,
    words: list(said.words).filter(isWord).slice(-WORDS_MAX),
    people: list(said.people)
      .filter(isPerson)
      .slice(-PEOPLE_MAX)
      .map(({ id, name }) => ({ id, name })),
  };
}

/** With one more word; nothing changes for one that is empty or there already, and the oldest gives way when full. */
export function withWord(taste: Taste, word: string): Taste {
  const added = [...word.trim()].slice(0, WORD_LENGTH_MAX).join('');
  if (!added || taste.words.includes(added)) return taste;
  return { ...taste, words: [...taste.words, added].slice(-WORDS_MAX) };
}

export function withPerson(taste: Taste, { id, name }: Person): Taste {
  if (!id || taste.people.some((one) => one.id === id)) return taste;
  return { ...taste, people: [...taste.people, { id, name: name.slice(0, NAME_LENGTH_MAX) }].slice(-PEOPLE_MAX) };
}

function parsed(kept: string | null): Record<string, unknown> {
  try {
    const said: unknown = JSON.parse(kept ?? '{}');
    return typeof said === 'object' && said !== null ? { ...said } : {};
  } catch {
    return {};
  }
}

function within(value: unknown, name: keyof typeof BOUNDS): number {
  const [least, most] = BOUNDS[name];
  return typeof value === 'number' && value >= least && value <= most ? value : USUAL[name];
}

function oneOf<T extends string>(known: readonly T[], value: unknown): T | undefined {
  return known.find((one) => one === value);
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= 2 * WORD_LENGTH_MAX;
}

function isPerson(value: unknown): value is Person {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name } = value as Partial<Person>;
  return typeof id === 'string' && id !== '' && typeof name === 'string' && name.length <= NAME_LENGTH_MAX;
}
