import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { notFound } from '../errors.ts';
import { ERROR_CODES } from '../http/error-guide/guide.ts';
import type { Mount } from '../http/mount.ts';
import type { Route } from '../http/route.ts';
import { html } from '../pages/html.ts';
import { type ApiDocument, readDocument } from './document.ts';
import { errorPage, errorsPage } from './error-pages.ts';
import { GUIDES, guidePage, webhookGuidePage } from './guide.ts';
import { DOCS_CSP, layout, slugOf } from './layout.ts';
import { llmsText } from './llms.ts';
import { eventsPage, overviewPage, tagPage } from './pages.ts';
import { verifyingFiles, verifyPage } from './verifying/page.ts';

interface Site {
  readonly document: ApiDocument;
  /** How each page is made, by its address. */
  readonly pages: ReadonlyMap<string, () => string>;
}

/**
 * The API reference, the error pages and `/llms.txt`: plain pages that the service generates from its OpenAPI
 * document, without outside requests. Only one has a script, which verifies pasted deliveries in the browser. Each
 * page is generated on first use.
 */
export function docsMounts(routes: readonly Route[], baseUrl: string): Mount[] {
  const made = new Map<string, string>();
  let known: Site | undefined;
  const site = (): Site => {
    known ??= siteOf(routes, baseUrl);
    return known;
  };
  const find = (path: string): string => {
    const make = site().pages.get(path);
    if (!make) throw notFound('page');
    const text = made.get(path) ?? make();
    made.set(path, text);
    return text;
  };
  const serve = (path: string): Mount => ({
    path,
    methods: ['GET'],
    handle: (ctx) => {
      const { rest } = ctx.state.params ?? {};
      const asked = rest === undefined ? path : `/docs/${rest}`;
      const body = find(asked);
      ctx.set(
        'Content-Security-Policy',
        asked === VERIFY ? `${DOCS_CSP}; script-src 'self'` : DOCS_CSP,
      );
      ctx.set('Cache-Control', 'public, max-age=300');
      ctx.type = TYPES[extname(asked)] ?? 'text/html; charset=utf-8';
      ctx.body = body;
    },
    errorPage: ({ message }) => ({ csp: DOCS_CSP, html: refusalPage(site().document, message) }),
  });
  return ['/docs', '/docs/*', '/llms.txt'].map(serve);
}

const refusalPage = (document: ApiDocument, message: string): string =>
  layout(document, {
    title: message,
    here: '',
    content: html`<h1>${message}</h1><p><a href="/docs">To the overview</a></p>`,
  });

const VERIFY = '/docs/verify-webhook';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

function siteOf(routes: readonly Route[], baseUrl: string): Site {
  const document = readDocument(routes, baseUrl);
  const pages = new Map<string, () => string>([
    ['/docs', () => overviewPage(document)],
    ['/docs/receiving-webhooks', () => webhookGuidePage(document)],
    ...GUIDES.map((guide) => [guide[0], () => guidePage(document, guide)] as const),
    [VERIFY, () => verifyPage(document)],
    ...verifyingFiles,
    ['/docs/events', () => eventsPage(document)],
    ['/docs/errors', () => errorsPage(document)],
    ['/docs/style.css', () => readFileSync(new URL('style.css', import.meta.url), 'utf8')],
    ['/llms.txt', () => llmsText(document, baseUrl)],
    ...document.tags.map(
      ({ name }) => [`/docs/${slugOf(name)}`, () => tagPage(document, name)] as const,
    ),
    ...ERROR_CODES.map(
      (code) => [`/docs/errors/${code}`, () => errorPage(document, code)] as const,
    ),
  ]);
  return { document, pages };
}
