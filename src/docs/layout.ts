import { type Html, html } from '../pages/html.ts';
import type { ApiDocument } from './document.ts';

/** `Members and teams` → `members-and-teams`, the last part of its page's address. */
export const slugOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-');

/** Styles come from the service itself; there are no scripts, fonts or pictures. */
export const DOCS_CSP =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface Page {
  readonly title: string;
  /** The page's address, marked in the navigation. */
  readonly here: string;
  readonly content: Html;
  /** What the page loads in addition to the common style. */
  readonly head?: Html;
}

const item = (href: string, name: string, here: string): Html =>
  html`<li><a href="${href}"${href === here ? html` aria-current="page"` : null}>${name}</a></li>`;

/** A whole page of the documentation. */
export const layout = (document: ApiDocument, { title, here, content, head }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${document.info.title}</title>
<link rel="stylesheet" href="/docs/style.css">
${head ?? null}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><a class="brand" href="/docs">${document.info.title}</a><span class="links"><a href="/openapi.json">OpenAPI 3.1</a> <a href="/llms.txt">llms.txt</a></span></header>
<div class="columns">
<nav aria-label="Documentation"><ul>
${item('/docs', 'Overview', here)}
${document.tags.map(({ name }) => item(`/docs/${slugOf(name)}`, name, here))}
${item('/docs/receiving-webhooks', 'Receiving webhooks', here)}
${item('/docs/writing-automations', 'Writing automations', here)}
${item('/docs/verifying-proofs', 'Verifying proofs', here)}
${item('/docs/building-apps', 'Building apps', here)}
${item('/docs/connecting-agents', 'Connecting agents', here)}
${item('/docs/verify-webhook', 'Verify a delivery', here)}
${item('/docs/events', 'Webhook events', here)}
${item('/docs/errors', 'Errors', here)}
</ul></nav>
<main id="content">
${content}
</main>
</div>
</body>
</html>
`.text;
