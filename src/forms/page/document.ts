import type { HtmlPage } from '../../http/error-telling.ts';
import { Html, html } from '../../pages/html.ts';
import { CSP, STYLE } from './style.ts';
import type { Texts } from './texts.ts';

interface Frame {
  readonly texts: Texts;
  readonly title: string;
  /** Shown below the card. */
  readonly foot: string;
}

/** A whole page around its card. */
export const documentOf = ({ texts, title, foot }: Frame, card: Html): HtmlPage => ({
  html: html`<!doctype html>
<html lang="${texts.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
</head>
<body>
<main><div class="card">${card}</div><p class="foot">${foot}</p></main>
</body>
</html>
`.text,
  csp: CSP,
});

/** Shown instead of a form: a heading and a few words. */
export const message = (title: string, text: string): Html =>
  html`<div><h1>${title}</h1><p class="lead">${text}</p></div>`;
