import type { Clock } from '../db/clock.ts';
import type { ContextParts } from '../db/contexts.ts';
import { AppError, type FieldProblem } from '../errors.ts';
import type { ErrorPage } from '../http/error-telling.ts';
import type { Framed } from '../http/framed.ts';
import type { Log } from '../log.ts';
import type { Mailer } from '../mail/mailer.ts';
import { cardPage } from '../pages/document.ts';
import { textField } from '../pages/fields.ts';
import { type Html, html } from '../pages/html.ts';
import { type Language, languageOf } from '../pages/language.ts';
import type { Attempts } from '../people/attempts.ts';
import { changedMail } from '../people/mails.ts';
import { ERRORS, kindOf } from './texts/errors.ts';
import { MAILED } from './texts/mailed.ts';
import { PASSWORDS } from './texts/passwords.ts';

/** What the pages in this folder need. */
export interface SignInParts extends ContextParts {
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly attempts: Attempts;
  /** Null if no mail server is configured. */
  readonly mailer: Mailer | null;
  readonly log: Log;
}

export const languageIn = (ctx: Framed): Language => languageOf(ctx.get('accept-language'));

/** What is wrong with a chosen password, in words. Rethrows any other error. */
export function passwordProblem(error: unknown, lang: Language): string {
  if (!(error instanceof AppError) || error.code !== 'validation') throw error;
  const [problem] = Array.isArray(error.details) ? (error.details as readonly FieldProblem[]) : [];
  const { common, length } = PASSWORDS[lang];
  return problem?.rule === 'common' ? common : length;
}

/** One parameter of the query; `""` if it is missing or was sent several times. */
export function queryOf(ctx: Framed, name: string): string {
  const values = new URLSearchParams(ctx.querystring).getAll(name);
  return values.length === 1 ? (values[0] ?? '') : '';
}

/** The token of a mailed link, from the path. */
export const tokenIn = ({ state }: Framed): string => state.params?.['token'] ?? '';

/** The page shown instead of an error body. */
export const errorPage: ErrorPage = ({ code }, { requestId, languages }) => {
  const lang = languageOf(languages);
  const { title, text } = ERRORS[lang].pages[kindOf(code)];
  return cardPage({
    lang,
    title,
    card: html`<h1>${title}</h1><p>${text}</p><p><a href="/sign-in">${ERRORS[lang].signIn}</a></p>`,
    foot: html`${ERRORS[lang].reference}: ${requestId}`,
  });
};

/** The field for choosing a password. Its form is sent to the page's own address. */
export const passwordField = (lang: Language, error = ''): Html =>
  textField({
    name: 'password',
    label: MAILED[lang].fresh,
    type: 'password',
    autocomplete: 'new-password',
    hint: MAILED[lang].freshHint,
    maxLength: 200,
    required: true,
    error: error || undefined,
    autofocus: error === '',
  });

/**
 * Tells a person by mail that their way of signing in has changed, in case it was not them.
 *
 * @param words that the password was changed, or others
 */
export async function tellOfChange(
  parts: SignInParts,
  lang: Language,
  email: string,
  words = changedMail(lang),
): Promise<void> {
  await parts.mailer
    ?.send({ to: email, ...words })
    .catch((err: unknown) =>
      parts.log.warn({ err }, 'the mail about a changed way in was not sent'),
    );
}
