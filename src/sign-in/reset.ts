import type { Framed } from '../http/framed.ts';
import type { Mount } from '../http/mount.ts';
import { requestOf } from '../http/serving/frame.ts';
import { showOwnPage } from '../http/serving/page.ts';
import { cardPage } from '../pages/document.ts';
import { problemSummary, textField } from '../pages/fields.ts';
import { type Html, html } from '../pages/html.ts';
import type { Language } from '../pages/language.ts';
import { fieldOf, readOwnForm } from '../people/forms.ts';
import { resetMail } from '../people/mails.ts';
import { resetLink, resetOwner, resetPassword } from '../people/resets.ts';
import { seeOther } from '../people/session-cookie.ts';
import {
  errorPage,
  languageIn,
  passwordField,
  passwordProblem,
  type SignInParts,
  tellOfChange,
  tokenIn,
} from './parts.ts';
import { MAILED } from './texts/mailed.ts';
import { SIGN_IN } from './texts/sign-in.ts';

/** Choosing a new password, for whoever can read the mail of an address. */
export const resetMounts = (parts: SignInParts): Mount[] => [
  {
    path: '/reset-password',
    methods: ['GET', 'POST'],
    errorPage,
    handle: async (ctx) => {
      if (ctx.method === 'POST') await ask(parts, ctx);
      else showOwnPage(ctx, parts.mailer ? askPage(languageIn(ctx)) : noMailPage(languageIn(ctx)));
    },
  },
  {
    path: '/reset-password/:token',
    methods: ['GET', 'POST'],
    errorPage,
    handle: async (ctx) => {
      if (ctx.method === 'POST') await choose(parts, ctx);
      else showOwnPage(ctx, choosePage(languageIn(ctx), await resetOwner(parts, tokenIn(ctx))));
    },
  },
];

async function ask(parts: SignInParts, ctx: Framed): Promise<void> {
  const body = await readOwnForm(parts, ctx);
  const lang = languageIn(ctx);
  const email = fieldOf(body, 'email');
  if (!parts.mailer) return showOwnPage(ctx, noMailPage(lang), 422);
  const waitSeconds = await parts.attempts.mail({ email, ip: ctx.state.ip });
  if (waitSeconds > 0) {
    ctx.set('Retry-After', String(waitSeconds));
    const problem = SIGN_IN[lang].tooMany(Math.ceil(waitSeconds / 60));
    return showOwnPage(ctx, askPage(lang, email, problem), 429);
  }
  // Answered before anything is looked up, so that unknown addresses take as long as known ones.
  void sendLink(parts, lang, email);
  showOwnPage(ctx, sentPage(lang));
}

async function sendLink(parts: SignInParts, lang: Language, address: string): Promise<void> {
  try {
    const link = await resetLink(parts, address);
    if (!link) return;
    await parts.mailer?.send({ to: link.email, ...resetMail(lang, link.url) });
  } catch (err) {
    parts.log.warn({ err }, 'the mail for a new password was not sent');
  }
}

async function choose(parts: SignInParts, ctx: Framed): Promise<void> {
  const body = await readOwnForm(parts, ctx);
  const lang = languageIn(ctx);
  const token = tokenIn(ctx);
  const email = await resetOwner(parts, token);
  try {
    const password = fieldOf(body, 'password');
    await resetPassword(parts, { token, password, request: requestOf(ctx) });
  } catch (error) {
    return showOwnPage(ctx, choosePage(lang, email, passwordProblem(error, lang)), 422);
  }
  // A person locked out by a stranger's guesses can sign in with the new password.
  await parts.attempts.unlock({ email, ip: ctx.state.ip });
  await tellOfChange(parts, lang, email);
  seeOther(ctx, '/sign-in?done=reset');
}

const back = (lang: Language): Html => html`<a href="/sign-in">${MAILED[lang].back}</a>`;

function askPage(lang: Language, email = '', problem = '') {
  const texts = MAILED[lang];
  const problems = new Map(problem ? [['', problem]] : []);
  const field = textField({
    name: 'email',
    label: texts.email,
    type: 'email',
    autocomplete: 'username',
    value: email,
    maxLength: 254,
    required: true,
    autofocus: !problem,
  });
  return cardPage({
    lang,
    title: texts.title,
    card: html`<h1>${texts.title}</h1>${problemSummary({ title: SIGN_IN[lang].failed, problems })}<p>${texts.lead}</p><form method="post" action="/reset-password">${field}<button class="wide">${texts.send}</button></form>`,
    foot: back(lang),
  });
}

const messagePage = (lang: Language, title: string, text: string) =>
  cardPage({ lang, title, card: html`<h1>${title}</h1><p>${text}</p>`, foot: back(lang) });

const noMailPage = (lang: Language) => messagePage(lang, MAILED[lang].title, MAILED[lang].noMail);
const sentPage = (lang: Language) => messagePage(lang, MAILED[lang].sent, MAILED[lang].sentText);

function choosePage(lang: Language, email: string, error = '') {
  const texts = MAILED[lang];
  const problems = new Map(error ? [['password', error]] : []);
  return cardPage({
    lang,
    title: texts.choose,
    card: html`<h1>${texts.choose}</h1>${problemSummary({ title: texts.notSaved, problems })}<p>${texts.forWhom(email)}</p><form method="post"><input type="hidden" name="email" value="${email}" autocomplete="username">${passwordField(lang, error)}<button class="wide">${texts.save}</button></form>`,
  });
}
