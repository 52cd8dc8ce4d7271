import type { HtmlPage } from '../error-telling.ts';
import type { Framed } from '../framed.ts';

/** Answers with a page. */
export function showPage(ctx: Framed, { html, csp }: HtmlPage, status = 200): void {
  ctx.status = status;
  ctx.set('Content-Security-Policy', csp);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = html;
}

/** Answers with a page that other sites cannot embed. */
export function showOwnPage(ctx: Framed, page: HtmlPage, status = 200): void {
  showPage(ctx, page, status);
  ctx.set('X-Frame-Options', 'DENY');
  // Without any referrer, the browser could not tell our forms from another site's.
  ctx.set('Referrer-Policy', 'same-origin');
}
