/** A text as people's writing is compared: without case and accents. `Preço!` is `preco!`. */
export const folded = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Its words alone, one blank apart, without punctuation: `Preço!` is `preco`. Empty where it has no letter or digit. */
export const wordsOf = (text: string): string =>
  folded(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
