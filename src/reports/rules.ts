/** Without enough samples, a member is assumed to need this long per message (design decisions §20). */
export const MINUTES_PER_MESSAGE = 1.5;
/** From this many samples on, the workspace's own median is used. */
export const ENOUGH_SAMPLES = 50;

/** Null for no values; for an even number, the mean of the middle two. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** The median of values, each of which stands for several. */
export function weightedMedian(weights: ReadonlyMap<number, number>): number | null {
  const sorted = [...weights].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, times]) => sum + times, 0);
  let seen = 0;
  for (const [i, [value, times]] of sorted.entries()) {
    seen += times;
    if (seen * 2 > total) return value;
    if (seen * 2 === total) return (value + (sorted[i + 1]?.[0] ?? value)) / 2;
  }
  return null;
}

/** To a tenth below a minute, to a second above: few enough distinct values to count each. */
export const roundSeconds = (seconds: number): number =>
  seconds < 60 ? toOneDecimal(seconds) : Math.round(seconds);

/** The precision in which reports show shares and short times. */
export const toOneDecimal = (value: number): number => Math.round(value * 10) / 10;

/** Words that begin a question in the most common languages. */
const ASKING = new Set(
  (
    'quanto quanta quantos quantas qual quais quando onde como quem que posso pode tem voces aceita aceitam ' +
    'what how when where who which why can could do does is are will ' +
    'cuanto cuanta cual cuales cuando donde quien puedo tienen aceptan'
  ).split(' '),
);

const LONGEST_QUESTION = 160;

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}@….]+/gu, ' ')
    .trim();

/** What could identify the person: addresses, links, and numbers that may be a phone or a document. */
const PERSONAL: readonly [RegExp, string][] = [
  [/\S{1,64}@\S{1,190}/g, '…'],
  [/\b(?:https?:\/\/|www\.)\S+/gi, '…'],
  [/\+?\d[\d\s().\-/]{4,30}\d/g, '…'],
];

/** A person's question, masked and normalised; null if it is none. */
export function questionOf(text: string): string | null {
  const short = [...text.slice(0, 1_000)].slice(0, 300).join('');
  const masked = PERSONAL.reduce((said, [pattern, mask]) => said.replace(pattern, mask), short);
  const words = plain(masked);
  const asks = masked.includes('?') || ASKING.has(words.split(' ')[0] ?? '');
  const letters = words.replace(/[^\p{L}]/gu, '');
  if (!asks || letters.length < 3) return null;
  return [...words].slice(0, LONGEST_QUESTION).join('');
}
