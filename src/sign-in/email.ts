import type { Framed } from '../http/framed.ts';
import type { Mount } from '../http/mount.ts';
import { requestOf } from '../http/serving/frame.ts';
import { showOwnPage } from '../http/serving/page.ts';
import type { Mailer } from '../mail/mailer.ts';
import { cardPage } from '../pages/document.ts';
import { hidden, problemSummary, textField } from '../pages/fields.ts';
import { html } from '../pages/html.ts';
import type { Language } from '../pages/language.ts';
import {
  changeEmail,
  type EmailChange,
  emailChangeLink,
  emailChangeOf,
} from '../people/email-changes.ts';
import { CSRF_FIELD, checkForm, fieldOf } from '../people/forms.ts';
import { emailChangedMail, emailChangeMail } from '../people/mails.ts';
import { seeOther, signedIn } from '../people/session-cookie.ts';
import type { Session } from '../people/sessions.ts';
import { errorPage, languageIn, type SignInParts, tellOfChange, tokenIn } from './parts.ts';
import { ACCOUNT } from './texts/account.ts';
import { EMAIL } from './texts/email.ts';
import { SIGN_IN } from './texts/sign-in.ts';

/** Signing in with another e-mail address, for whoever knows the password and reads the new address's mail. */
export const emailMounts = (parts: SignInParts): Mount[] => [
  {
    path: '/account/email',
    methods: ['GET', 'POST'],
    errorPage,
    handle: signedIn(parts, async (ctx, session) => {
      const lang = languageIn(ctx);
      if (!parts.mailer) showOwnPage(ctx, messagePage(lang, EMAIL[lang].noMail), 422);
      else if (ctx.method === 'POST') await ask({ ...parts, mailer: parts.mailer }, ctx, session);
      else showOwnPage(ctx, askPage(lang, session));
    }),
  },
  {
    path: '/account/email/:token',
    methods: ['GET', 'POST'],
    errorPage,
    handle: signedIn(parts, async (ctx, session) => {
      if (ctx.method === 'POST') return change(parts, ctx, session);
      const link = { token: tokenIn(ctx), userId: session.userId };
      const wanted = await emailChangeOf(parts, link);
      showOwnPage(ctx, changePage(languageIn(ctx), session, wanted));
    }),
  },
];

type MailingParts = SignInParts & { readonly mailer: Mailer };

async function ask(parts: MailingParts, ctx: Framed, session: Session): Promise<void> {
  const body = await checkForm(parts, ctx, session);
  const lang = languageIn(ctx);
  const texts = EMAIL[lang];
  const email = fieldOf(body, 'email');
  const request = requestOf(ctx);
  const refuse = (name: string, text: string, status: number): void =>
    showOwnPage(ctx, askPage(lang, session, { email, problems: new Map([[name, text]]) }), status);
  const link = await emailChangeLink(parts, session, {
    email,
    password: fieldOf(body, 'current'),
    request,
  });
  if ('unsuitable' in link) return refuse('email', texts.unsuitable, 422);
  if ('wrong' in link) return refuse('current', ACCOUNT[lang].wrong, 422);
  if ('waitSeconds' in link) {
    ctx.set('Retry-After', String(link.waitSeconds));
    return refuse('', SIGN_IN[lang].tooMany(Math.ceil(link.waitSeconds / 60)), 429);
  }
  const url = `${parts.baseUrl}/account/email/${link.token}`;
  try {
    await parts.mailer.send({ to: link.email, ...emailChangeMail(lang, url) });
  } catch (err) {
    parts.log.warn({ err }, 'the mail for another address was not sent');
    return refuse('', texts.notMailed, 503);
  }
  showOwnPage(ctx, messagePage(lang, texts.sent(link.email)));
}

/** On any device, once the person has signed in there: whoever else reads the mail, as at an address mistyped, gets nowhere. */
async function change(parts: SignInParts, ctx: Framed, { csrf, userId }: Session): Promise<void> {
  const asked = fieldOf(await checkForm(parts, ctx, { csrf }), 'email');
  const lang = languageIn(ctx);
  const pressed = { token: tokenIn(ctx), userId, asked, request: requestOf(ctx) };
  const done = await changeEmail(parts, pressed);
  if ('refused' in done) return showOwnPage(ctx, messagePage(lang, EMAIL[lang][done.refused]), 409);
  if ('to' in done) await tellOfChange(parts, lang, done.from, emailChangedMail(lang, done.to));
  seeOther(ctx, '/account?done=email');
}

interface Asked {
  /** As it was sent. */
  readonly email: string;
  readonly problems: ReadonlyMap<string, string>;
}

const NOTHING: Asked = { email: '', problems: new Map() };

function askPage(lang: Language, session: Session, { email, problems } = NOTHING) {
  const texts = EMAIL[lang];
  const fields = [
    textField({
      name: 'email',
      label: texts.fresh,
      type: 'email',
      autocomplete: 'off',
      value: email,
      error: problems.get('email'),
      maxLength: 254,
      required: true,
      autofocus: problems.size === 0,
    }),
    textField({
      name: 'current',
      label: ACCOUNT[lang].current,
      type: 'password',
      autocomplete: 'current-password',
      error: problems.get('current'),
      maxLength: 200,
      required: true,
    }),
  ];
  return cardPage({
    lang,
    title: texts.title,
    card: html`<h1>${texts.title}</h1>${problemSummary({ title: texts.notSent, problems })}<p>${texts.lead(session.email)}</p><form method="post">${hidden(CSRF_FIELD, session.csrf)}${fields}<button class="wide">${texts.send}</button></form>`,
    foot: back(lang),
  });
}

const back = (lang: Language) => html`<a href="/account">${EMAIL[lang].back}</a>`;

const messagePage = (lang: Language, text: string) =>
  cardPage({
    lang,
    title: EMAIL[lang].title,
    card: html`<h1>${EMAIL[lang].title}</h1><p>${text}</p>`,
    foot: back(lang),
  });

/** A page with a button: what only looks at the links of mails changes nothing. */
const changePage = (lang: Language, { csrf }: Session, { from, to }: EmailChange) =>
  cardPage({
    lang,
    title: EMAIL[lang].title,
    card: html`<h1>${EMAIL[lang].title}</h1><p>${EMAIL[lang].confirm(from, to)}</p><form method="post">${hidden(CSRF_FIELD, csrf)}${hidden('email', to)}<button class="wide">${EMAIL[lang].use}</button></form>`,
  });
