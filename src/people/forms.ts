import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';
import { type FormBody, readForm } from '../http/body/form.ts';
import type { Framed } from '../http/framed.ts';
import type { Session } from './sessions.ts';

/** The name of the hidden field that carries `session.csrf` in every form. */
export const CSRF_FIELD = '_csrf';

/** Enough for a form with long texts. A page that accepts more says so. */
const MAX_BYTES = 256 * 1024;

interface Limits {
  /** The address of the service; only its own pages may send forms. */
  readonly baseUrl: string;
  readonly maxBytes?: number;
}

const refused = (): AppError =>
  new AppError(
    'forbidden',
    'This form did not come from our own page, or the page was too old. Go back, reload it and send it again.',
  );

/**
 * The body of a form on one of our pages. 403 `forbidden` if another site sent it or the session's token is missing;
 * 413, 415 and 400 as in `readForm`.
 */
export async function checkForm(
  limits: Limits,
  ctx: Framed,
  session: Pick<Session, 'csrf'>,
): Promise<FormBody> {
  const body = await readOwnForm(limits, ctx);
  if (!hasToken(body, session)) throw refused();
  return body;
}

/** Whether the form is of a page that this session was shown. */
export function hasToken(body: FormBody, { csrf }: Pick<Session, 'csrf'>): boolean {
  const sent = body.get(CSRF_FIELD) ?? [];
  return sent.length === 1 && same(sent[0] ?? '', csrf);
}

/** The same for visitors who are not signed in: there is no token, but other sites are still refused. */
export async function readOwnForm(
  { baseUrl, maxBytes = MAX_BYTES }: Limits,
  { req }: Framed,
): Promise<FormBody> {
  requireOwnPage(req, baseUrl);
  return readForm(req, maxBytes);
}

/**
 * Browsers say which page a form comes from. Pages with a strict referrer policy send `Origin: null`; then
 * `Sec-Fetch-Site` must be present. A client that sends neither is not a browser, so it cannot be tricked into
 * sending a form.
 */
export function requireOwnPage(
  { headers }: Pick<IncomingMessage, 'headers'>,
  baseUrl: string,
): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw refused();
  const { origin } = headers;
  if (origin === undefined || origin === new URL(baseUrl).origin) return;
  if (origin !== 'null' || site === undefined) throw refused();
}

function same(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The single value of a field; `""` if it is missing or was sent several times. */
export function fieldOf(body: FormBody, name: string): string {
  const values = body.get(name) ?? [];
  return values.length === 1 ? (values[0] ?? '') : '';
}
