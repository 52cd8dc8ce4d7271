import { readFileSync } from 'node:fs';
import type { Framed } from '../http/framed.ts';
import type { Mount } from '../http/mount.ts';
import { requestOf } from '../http/serving/frame.ts';
import { assetMounts, createAsset } from '../pages/assets.ts';
import { hidden, textField } from '../pages/fields.ts';
import { formatFor } from '../pages/format.ts';
import { type Html, html } from '../pages/html.ts';
import type { Language } from '../pages/language.ts';
import { disclosure, linkButton, named, table } from '../pages/parts.ts';
import { CSRF_FIELD, checkForm, fieldOf, readOwnForm } from '../people/forms.ts';
import { passkeyMail, passkeyRemovedMail } from '../people/mails.ts';
import { ownPath } from '../people/own-paths.ts';
import {
  addPasskey,
  listPasskeys,
  newPasskeyOptions,
  removePasskey,
  signInByPasskey,
  signInOptions,
} from '../people/passkeys.ts';
import { beginSession, seeOther, signedIn } from '../people/session-cookie.ts';
import { type Session, signedInRecently } from '../people/sessions.ts';
import { errorPage, languageIn, type SignInParts, tellOfChange } from './parts.ts';
import { PASSKEYS } from './texts/passkeys.ts';

/** The only script of these pages. */
export const PASSKEY_SCRIPT = createAsset(
  'passkeys.js',
  'text/javascript; charset=utf-8',
  readFileSync(new URL('passkeys.js', import.meta.url), 'utf8'),
);

/** Signing in with a passkey, and the person's own list of them. */
export const passkeyMounts = (parts: SignInParts): Mount[] => [
  ...assetMounts([PASSKEY_SCRIPT]),
  post('/sign-in/passkey/options', async (ctx) => {
    await readOwnForm(parts, ctx);
    const waitSeconds = await parts.attempts.passkey({ ip: ctx.state.ip });
    if (waitSeconds > 0) return answerJson(ctx, {}, 429);
    answerJson(ctx, await signInOptions(parts));
  }),
  post('/sign-in/passkey', async (ctx) => {
    const body = await readOwnForm(parts, ctx);
    const next = ownPath(fieldOf(body, 'next'), '/console');
    const userId = await signInByPasskey(parts, fieldOf(body, 'credential'));
    if (userId === null)
      return seeOther(ctx, `/sign-in?done=no-passkey&again=1&next=${encodeURIComponent(next)}`);
    await beginSession(parts, ctx, { userId, by: 'passkey' });
    seeOther(ctx, next);
  }),
  post(
    '/account/passkeys/options',
    signedIn(parts, async (ctx, session) => {
      await checkForm(parts, ctx, session);
      answerJson(ctx, await newPasskeyOptions(parts, session));
    }),
  ),
  post(
    '/account/passkeys',
    signedIn(parts, async (ctx, session) => {
      const body = await checkForm(parts, ctx, session);
      const name = fieldOf(body, 'name').trim().slice(0, 80) || 'Passkey';
      const credential = fieldOf(body, 'credential');
      const request = requestOf(ctx);
      const added = await addPasskey(parts, session, { name, credential, request });
      const lang = languageIn(ctx);
      if (added) await tellOfChange(parts, lang, session.email, passkeyMail(lang));
      seeOther(ctx, `/account?done=${added ? 'passkey' : 'no-passkey'}`);
    }),
  ),
  post(
    '/account/passkeys/remove',
    signedIn(parts, async (ctx, session) => {
      const body = await checkForm(parts, ctx, session);
      const removed = { id: fieldOf(body, 'passkey'), request: requestOf(ctx) };
      const gone = await removePasskey(parts, session.userId, removed);
      const lang = languageIn(ctx);
      if (gone) await tellOfChange(parts, lang, session.email, passkeyRemovedMail(lang));
      seeOther(ctx, '/account?done=passkey-removed');
    }),
  ),
];

const post = (path: string, handle: Mount['handle']): Mount => ({
  path,
  methods: ['POST'],
  errorPage,
  handle,
});

function answerJson(ctx: Framed, body: object, status = 200): void {
  ctx.status = status;
  ctx.body = body;
}

const problem = (text: string): Html => html`<p class="problem" role="alert" hidden>${text}</p>`;

/** Hidden on the sign-in page until the script finds that the browser supports passkeys. */
export const passkeySignIn = (lang: Language, next: string): Html =>
  html`<form method="post" action="/sign-in/passkey" data-passkey="get" data-options="/sign-in/passkey/options" hidden>${hidden('next', next)}${hidden('credential', '')}${problem(PASSKEYS[lang].failed)}<p></p><button class="quiet wide">${PASSKEYS[lang].signIn}</button></form>`;

/** The section of the account page. */
export async function passkeySection(
  parts: SignInParts,
  lang: Language,
  session: Session,
): Promise<Html> {
  const texts = PASSKEYS[lang];
  const format = formatFor(lang, 'UTC');
  const csrf = hidden(CSRF_FIELD, session.csrf);
  const rows = (await listPasskeys(parts, session.userId)).map(
    ({ id, name, createdAt, lastUsedAt }) => [
      name,
      format.day(createdAt),
      lastUsedAt ? format.time(lastUsedAt) : texts.never,
      disclosure(
        named(texts.remove, name),
        html`<form method="post" action="/account/passkeys/remove">${csrf}${hidden('passkey', id)}<p>${texts.removing}</p><button class="danger">${named(texts.remove, name)}</button></form>`,
        { danger: true },
      ),
    ],
  );
  const add = signedInRecently(session, parts.clock.now())
    ? html`<form method="post" action="/account/passkeys" data-passkey="create" data-options="/account/passkeys/options" hidden>${csrf}${hidden('credential', '')}${textField({ name: 'name', label: texts.name, hint: texts.nameHint, maxLength: 80 })}${problem(texts.notAdded)}<button>${texts.add}</button></form>`
    : linkButton('/sign-in?again=1&next=%2Faccount', texts.signInAgain, true);
  return html`<section class="card"><h2>${texts.title}</h2><p>${texts.lead}</p>${rows.length > 0 ? table({ caption: texts.title, columns: texts.columns, rows }) : null}${add}</section>`;
}
