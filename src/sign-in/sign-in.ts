import type { Framed } from '../http/framed.ts';
import type { Mount } from '../http/mount.ts';
import { requestOf } from '../http/serving/frame.ts';
import { showOwnPage } from '../http/serving/page.ts';
import { cardPage } from '../pages/document.ts';
import { hidden, problemSummary, textField } from '../pages/fields.ts';
import { type Html, html } from '../pages/html.ts';
import type { Language } from '../pages/language.ts';
import { notice } from '../pages/parts.ts';
import { CSRF_FIELD, checkForm, fieldOf, readOwnForm } from '../people/forms.ts';
import { ownPath } from '../people/own-paths.ts';
import { beginSession, seeOther, sessionOf, signedIn, signOut } from '../people/session-cookie.ts';
import { signIn } from '../people/signing-in.ts';
import { errorPage, languageIn, queryOf, type SignInParts } from './parts.ts';
import { PASSKEY_SCRIPT, passkeySignIn } from './passkeys.ts';
import { PASSKEYS } from './texts/passkeys.ts';
import { SIGN_IN } from './texts/sign-in.ts';

/** Where people go who had no other destination. */
const HOME = '/console';

/** Signing in and out. */
export const signInMounts = (parts: SignInParts): Mount[] => [
  {
    path: '/sign-in',
    methods: ['GET', 'POST'],
    errorPage,
    handle: async (ctx) => {
      if (ctx.method === 'POST') await receive(parts, ctx);
      else await open(parts, ctx);
    },
  },
  {
    path: '/sign-out',
    methods: ['GET', 'POST'],
    errorPage,
    handle: signedIn(parts, async (ctx, session) => {
      const lang = languageIn(ctx);
      if (ctx.method === 'POST') {
        await checkForm(parts, ctx, session);
        await signOut(parts, ctx);
        // Answers to forms are kept for the browser's Back, which is not for whoever comes next.
        ctx.set('Clear-Site-Data', '"cache"');
        return seeOther(ctx, '/sign-in?done=signed-out');
      }
      showOwnPage(ctx, signOutPage(lang, session.email, session.csrf));
    }),
  },
];

interface Shown {
  readonly lang: Language;
  readonly next: string;
  readonly email: string;
  /** Shown above the form: that something worked, or why the person is asked again. */
  readonly note?: string;
  readonly problem?: string;
}

async function open(parts: SignInParts, ctx: Framed): Promise<void> {
  const next = ownPath(queryOf(ctx, 'next'), HOME);
  const again = queryOf(ctx, 'again') !== '';
  const session = await sessionOf(parts, ctx);
  if (session && !again) return seeOther(ctx, next);
  const lang = languageIn(ctx);
  const texts = SIGN_IN[lang];
  const notes: Readonly<Record<string, string>> = {
    'signed-out': texts.signedOut,
    reset: texts.reset,
    unsent: texts.unsent,
    'maybe-changed': texts.maybeChanged,
  };
  const done = queryOf(ctx, 'done');
  const note = again && session ? texts.again : notes[done];
  const email = again && session ? session.email : '';
  const problem = done === 'no-passkey' ? PASSKEYS[lang].failed : undefined;
  const said = { ...(note ? { note } : {}), ...(problem ? { problem } : {}) };
  showOwnPage(ctx, signInPage({ lang, next, email, ...said }));
}

async function receive(parts: SignInParts, ctx: Framed): Promise<void> {
  const body = await readOwnForm(parts, ctx);
  const next = ownPath(fieldOf(body, 'next'), HOME);
  const email = fieldOf(body, 'email');
  const password = fieldOf(body, 'password');
  const lang = languageIn(ctx);
  const texts = SIGN_IN[lang];
  const outcome = await signIn(parts, { email, password, request: requestOf(ctx) });
  const isIn =
    'userId' in outcome && (await beginSession(parts, ctx, { ...outcome, by: 'password' }));
  if (isIn) return seeOther(ctx, next);
  if (!('waitSeconds' in outcome))
    return showOwnPage(ctx, signInPage({ lang, next, email, problem: texts.wrong }), 422);
  ctx.set('Retry-After', String(outcome.waitSeconds));
  const problem = texts.tooMany(Math.ceil(outcome.waitSeconds / 60));
  showOwnPage(ctx, signInPage({ lang, next, email, problem }), 429);
}

function signInPage({ lang, next, email, note, problem }: Shown) {
  const texts = SIGN_IN[lang];
  const problems = new Map(problem ? [['', problem]] : []);
  const fields: Html = html`${textField({
    name: 'email',
    label: texts.email,
    type: 'email',
    autocomplete: 'username webauthn',
    value: email,
    maxLength: 254,
    required: true,
    autofocus: !problem && email === '',
  })}${textField({
    name: 'password',
    label: texts.password,
    type: 'password',
    autocomplete: 'current-password',
    maxLength: 200,
    required: true,
    autofocus: !problem && email !== '',
  })}`;
  return cardPage({
    lang,
    title: texts.title,
    card: html`<h1>${texts.title}</h1>${note ? notice(note) : null}${problemSummary({ title: texts.failed, problems })}<form method="post" action="/sign-in">${hidden('next', next)}${fields}<button class="wide">${texts.submit}</button></form>${passkeySignIn(lang, next)}`,
    scripts: [PASSKEY_SCRIPT],
    foot: html`<a href="/reset-password">${texts.forgotten}</a>`,
  });
}

function signOutPage(lang: Language, email: string, csrf: string) {
  const texts = SIGN_IN[lang];
  return cardPage({
    lang,
    title: texts.signOutTitle,
    card: html`<h1>${texts.signOutTitle}</h1><p>${texts.signOutText(email)}</p><form method="post" action="/sign-out">${hidden(CSRF_FIELD, csrf)}<button class="wide">${texts.signOut}</button></form>`,
  });
}
