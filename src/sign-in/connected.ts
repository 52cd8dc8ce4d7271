import type { Mount } from '../http/mount.ts';
import { requestOf } from '../http/serving/frame.ts';
import { isForTools } from '../oauth/addresses.ts';
import { connectionsOf, type OwnConnection, takeBack } from '../oauth/connections/own.ts';
import { hidden } from '../pages/fields.ts';
import { formatFor } from '../pages/format.ts';
import { type Html, html } from '../pages/html.ts';
import type { Language } from '../pages/language.ts';
import { badge, disclosure, named } from '../pages/parts.ts';
import { CSRF_FIELD, checkForm, fieldOf } from '../people/forms.ts';
import { seeOther, signedIn } from '../people/session-cookie.ts';
import type { Session } from '../people/sessions.ts';
import { sentence } from './consent-view.ts';
import { errorPage, type SignInParts } from './parts.ts';
import { CONNECTED } from './texts/connected.ts';

/** Where a person disconnects an app. */
export const connectedMount = (parts: SignInParts): Mount => ({
  path: '/account/apps',
  methods: ['POST'],
  errorPage,
  handle: signedIn(parts, async (ctx, session) => {
    const body = await checkForm(parts, ctx, session);
    await takeBack(parts, session, fieldOf(body, 'connection'), requestOf(ctx));
    seeOther(ctx, '/account?done=disconnected');
  }),
});

/** The apps that act for the person, in whatever role, each with what it may do and a way to disconnect it. */
export async function connectedSection(
  { database }: SignInParts,
  lang: Language,
  session: Session,
): Promise<Html> {
  const texts = CONNECTED[lang];
  const all = await connectionsOf(database, session.userId);
  const list = all.map((one) => appOf(lang, session, one));
  return html`<section class="card"><h2>${texts.title}</h2>${all.length === 0 ? html`<p>${texts.none}</p>` : html`<p class="soft">${texts.lead}</p>${list}`}</section>`;
}

function appOf(
  lang: Language,
  { csrf }: Session,
  {
    id,
    appName,
    verification,
    organizationName,
    scopes,
    resources,
    endpoints,
    lastUsedAt,
  }: OwnConnection,
): Html {
  const texts = CONNECTED[lang];
  const doubt = verification === 'verified' ? null : badge(texts.notVerified, 'warn');
  const used = lastUsedAt ? texts.lastUsed(formatFor(lang, 'UTC').time(lastUsedAt)) : texts.never;
  const byTools = resources.every(isForTools);
  const items = scopes.map((scope) => html`<li>${sentence(lang, scope, byTools)}</li>`);
  const paused = endpoints.length > 0 ? html`<p>${texts.pauses(endpoints.join(', '))}</p>` : null;
  const end = html`<p>${texts.sure(appName)}</p>${paused}<form method="post" action="/account/apps">${hidden(CSRF_FIELD, csrf)}${hidden('connection', id)}<button class="danger">${named(texts.disconnect, appName)}</button></form>`;
  return html`<h3>${appName} ${doubt}</h3><p class="soft">${organizationName} · ${used}</p><div class="actions">${disclosure(named(texts.may, appName), html`<ul>${items}</ul>`)}${disclosure(named(texts.disconnect, appName), end, { danger: true })}</div>`;
}
