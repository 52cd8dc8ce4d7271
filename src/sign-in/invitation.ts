import { system } from '../access/actor.ts';
import { createContext } from '../db/contexts.ts';
import type { Framed } from '../http/framed.ts';
import type { Mount } from '../http/mount.ts';
import { requestOf } from '../http/serving/frame.ts';
import { showOwnPage } from '../http/serving/page.ts';
import { cardPage } from '../pages/document.ts';
import { hidden, problemSummary } from '../pages/fields.ts';
import { type Html, html } from '../pages/html.ts';
import type { Language } from '../pages/language.ts';
import { linkButton } from '../pages/parts.ts';
import { changing } from '../people/changing.ts';
import { CSRF_FIELD, checkForm, fieldOf, readOwnForm } from '../people/forms.ts';
import { acceptInvitation, findInvitation, type Invitation } from '../people/invitations.ts';
import { hashPassword } from '../people/passwords.ts';
import { beginSession, seeOther, sessionOf, signInPath } from '../people/session-cookie.ts';
import type { Session } from '../people/sessions.ts';
import { setFirstPassword } from '../people/signing-in.ts';
import {
  errorPage,
  languageIn,
  passwordField,
  passwordProblem,
  type SignInParts,
  tokenIn,
} from './parts.ts';
import { MAILED } from './texts/mailed.ts';

/** Joining a workspace: new people choose a password, people with an account sign in. */
export const invitationMounts = (parts: SignInParts): Mount[] => [
  {
    path: '/invitations/:token',
    methods: ['GET', 'POST'],
    errorPage,
    handle: async (ctx) => {
      const invitation = await findInvitation(parts, tokenIn(ctx));
      const session = await sessionOf(parts, ctx);
      if (ctx.method !== 'POST') return showOwnPage(ctx, invitationPage(ctx, invitation, session));
      if (invitation.hasPassword) await acceptAsKnown(parts, ctx, invitation, session);
      else await acceptAsNew(parts, ctx, invitation);
    },
  },
];

async function acceptAsKnown(
  parts: SignInParts,
  ctx: Framed,
  invitation: Invitation,
  session: Session | null,
): Promise<void> {
  if (session?.userId !== invitation.userId) return seeOther(ctx, ctx.path);
  await checkForm(parts, ctx, session);
  await comeIn(parts, ctx, invitation);
}

async function acceptAsNew(parts: SignInParts, ctx: Framed, invitation: Invitation): Promise<void> {
  const body = await readOwnForm(parts, ctx);
  const lang = languageIn(ctx);
  let problem = '';
  const hash = await hashPassword(fieldOf(body, 'password')).catch((error: unknown) => {
    problem = passwordProblem(error, lang);
    return '';
  });
  if (problem) return showOwnPage(ctx, invitationPage(ctx, invitation, null, problem), 422);
  // Whoever has the link can read the person's mail. The password comes first, so that a link that is used up has left
  // one; of two requests at once only one sets it, and the other goes on as somebody known.
  const { userId } = invitation;
  if (!(await changing(parts, (tx) => setFirstPassword(tx, userId, hash))))
    return seeOther(ctx, ctx.path);
  await comeIn(parts, ctx, invitation);
  await beginSession(parts, ctx, { userId, by: 'invitation' });
}

/** Uses up the link, acting as the invited person. */
async function comeIn(parts: SignInParts, ctx: Framed, invitation: Invitation): Promise<void> {
  const { organizationId, memberId } = invitation;
  const actor = system('invitation');
  const now = parts.clock.now();
  const request = requestOf(ctx);
  const context = createContext(parts, { organizationId, actor, now, request });
  await acceptInvitation(context, memberId, tokenIn(ctx));
  seeOther(ctx, `/console/${organizationId}`);
}

function invitationPage(ctx: Framed, invitation: Invitation, session: Session | null, error = '') {
  const lang = languageIn(ctx);
  const texts = MAILED[lang];
  const title = texts.invitation(invitation.workspace);
  const problems = new Map(error ? [['password', error]] : []);
  return cardPage({
    lang,
    title,
    card: html`<h1>${title}</h1>${problemSummary({ title: texts.notSaved, problems })}<p>${texts.invited(invitation.email)}</p>${
      invitation.hasPassword
        ? knownForm(lang, invitation, session, ctx.path)
        : html`<form method="post"><input type="hidden" name="email" value="${invitation.email}" autocomplete="username">${passwordField(lang, error)}<button class="wide">${texts.accept}</button></form>`
    }`,
  });
}

function knownForm(
  lang: Language,
  { userId, email }: Invitation,
  session: Session | null,
  here: string,
): Html {
  const texts = MAILED[lang];
  if (session?.userId === userId)
    return html`<form method="post">${hidden(CSRF_FIELD, session.csrf)}<button class="wide">${texts.accept}</button></form>`;
  if (session)
    return html`<p>${texts.other(session.email)}</p><p>${linkButton('/sign-out', texts.signOut)}</p>`;
  return html`<p>${texts.signInFirst(email)}</p><p>${linkButton(signInPath(here), texts.signIn)}</p>`;
}
