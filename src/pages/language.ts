/** What our pages are written in. The value is the page's `lang`. */
const LANGUAGES = ['en', 'pt-BR'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A feature's words in every language: a word that is missing in one of them does not compile. */
export type Dictionary<T> = Readonly<Record<Language, T>>;

/** The reader's language by `Accept-Language` (its first entry) or a workspace's language; others read English. */
export const languageOf = (wish: string): Language => (/^\s*pt\b/i.test(wish) ? 'pt-BR' : 'en');
