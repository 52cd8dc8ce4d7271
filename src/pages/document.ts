import type { HtmlPage } from '../http/error-telling.ts';
import { type Asset, STYLE } from './assets.ts';
import { type Html, html } from './html.ts';
import type { Language } from './language.ts';

export interface DocumentParts {
  readonly lang: Language;
  /** Of the window; the product's name is appended. */
  readonly title: string;
  /** Everything inside `<body>`; where a navigation comes first, begin with a link past it, of the class `skip`. */
  readonly body: Html;
  /** Loaded with `defer`; the page must work without them. */
  readonly scripts?: readonly Asset[];
  /** Additional elements for the head, such as a script's `<meta>`. */
  readonly head?: Html;
}

export const PRODUCT = 'Workspace Messaging';

/** A whole page. It contains no inline styles or scripts, and its policy allows only our files. */
export function document({ lang, title, body, scripts = [], head }: DocumentParts): HtmlPage {
  const page = html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · ${PRODUCT}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE.href}" integrity="${STYLE.integrity}">
${head ?? null}${scripts.map(scriptTag)}
</head>
<body>
${body}
</body>
</html>
`;
  return { html: page.text, csp: policy(scripts.length > 0) };
}

const scriptTag = ({ href, integrity }: Asset): Html =>
  html`<script src="${href}" integrity="${integrity}" defer></script>`;

const policy = (scripted: boolean): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    'img-src data:',
    ...(scripted ? ["script-src 'self'", "connect-src 'self'"] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

interface CardParts extends Omit<DocumentParts, 'body'> {
  /** The card's content, beginning with the page's `<h1>`. */
  readonly card: Html;
  /** Below it. */
  readonly foot?: Html;
}

/** A page with one card: signing in, a question, an error. */
export const cardPage = ({ card, foot, ...parts }: CardParts): HtmlPage =>
  document({
    ...parts,
    body: html`<main class="narrow">
<p class="brand">${PRODUCT}</p>
<div class="card">${card}</div>
${foot ? html`<div class="foot">${foot}</div>` : null}
</main>`,
  });
