/** A text normalised for comparison: without case and accents. `Preço!` becomes `preco!`. */
export const folded = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/**
 * Only the words, separated by single blanks, without punctuation: `Preço!` becomes `preco`. Empty if it has no
 * letter or digit.
 */
export const wordsOf = (text: string): string =>
  folded(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
