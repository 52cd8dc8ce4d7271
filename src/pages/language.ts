/** What our pages are written in. The value is the page's `lang`. */
const LANGUAGES = ['en', 'pt-BR'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A feature's texts in every language; a text missing in one of them does not compile. */
export type Dictionary<T> = Readonly<Record<Language, T>>;

/**
 * The reader's language, from the first entry of `Accept-Language` or from a workspace's language; English for all
 * others.
 */
export const languageOf = (wish: string): Language => (/^\s*pt\b/i.test(wish) ? 'pt-BR' : 'en');
