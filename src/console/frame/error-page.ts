import type { FormBody } from '../../http/body/form.ts';
import type { ErrorPage } from '../../http/error-telling.ts';
import type { Framed } from '../../http/framed.ts';
import { cardPage } from '../../pages/document.ts';
import { type Html, html } from '../../pages/html.ts';
import { type Language, languageOf } from '../../pages/language.ts';
import { definitions, linkButton } from '../../pages/parts.ts';
import { textsOf } from '../texts/texts.ts';
import { saying } from './away.ts';

const KINDS: Readonly<Record<string, 'not_found' | 'forbidden' | 'busy'>> = {
  not_found: 'not_found',
  method_not_allowed: 'not_found',
  unauthorized: 'not_found',
  forbidden: 'forbidden',
  rate_limited: 'busy',
  unavailable: 'busy',
};

const NOTHING_SENT = (): FormBody => new Map();

/** What people see when a page cannot be shown at all. */
const errorPageAfter =
  (sent: () => FormBody): ErrorPage =>
  ({ code }, { requestId, languages }) => {
    const lang = languageOf(languages);
    const texts = textsOf(lang);
    const { title, text } = texts.errors[KINDS[code] ?? 'wrong'];
    return cardPage({
      lang,
      title,
      card: html`<h1>${title}</h1>${saying(html`<p>${text}</p>`)}${written(lang, sent())}<p>${linkButton('/console', texts.toConsole)}</p>`,
      foot: html`${texts.reference}: ${requestId}`,
    });
  };

export const consoleErrorPage = errorPageAfter(NOTHING_SENT);

/** From here on, an error page shows what was written in the form. */
export function keepWritten({ state }: Framed, sent: () => FormBody): void {
  state.area = { ...state.area, errorPage: errorPageAfter(sent) };
}

/** What pages themselves put into their forms. */
const MARKS =
  /^(?:_.*|shown_.*|seen|action|id|client_ref|through|to|phrase|enter|filters|in_progress|ended)$/;
const ID = /^[a-z]{3,4}_[0-9A-Z]{26}$/;

function written(lang: Language, sent: FormBody): Html | null {
  const texts = textsOf(lang);
  const all = [...sent].flatMap(([name, values]) =>
    values
      .filter((value) => !MARKS.test(name) && !ID.test(value) && value.trim() !== '')
      .map((value) => [name, html`<span class="written">${value}</span>`] as const),
  );
  if (all.length === 0) return null;
  return html`<h2>${texts.written}</h2><p>${texts.writtenLead}</p>${definitions(all)}`;
}
