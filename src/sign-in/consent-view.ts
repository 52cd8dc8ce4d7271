import { createHash } from 'node:crypto';
import { isScope } from '../access/scopes.ts';
import { KEYS } from '../console/keys/texts.ts';
import type { HtmlPage } from '../http/error-telling.ts';
import { isForTools } from '../oauth/addresses.ts';
import type { InteractionView } from '../oauth/consent/asked.ts';
import { isLoopback } from '../oauth/rules.ts';
import { cardPage } from '../pages/document.ts';
import { hidden, problemSummary, radios } from '../pages/fields.ts';
import { type Html, html } from '../pages/html.ts';
import type { Language } from '../pages/language.ts';
import { notice } from '../pages/parts.ts';
import { CSRF_FIELD } from '../people/forms.ts';
import type { Membership } from '../people/service.ts';
import type { Session } from '../people/sessions.ts';
import { CONSENT, isOwnScope } from './texts/consent.ts';

export interface ConsentShown {
  readonly lang: Language;
  readonly asked: InteractionView;
  readonly session: Session;
  /** The workspaces in which the person may connect apps. */
  readonly workspaces: readonly Membership[];
  readonly problems: ReadonlyMap<string, string>;
}

/** Bulk sending can get numbers blocked (specification, Scopes). */
const HIGH_RISK = 'campaigns:send';

/** Says in plain words which app asks, and for what. */
export function consentPage(shown: ConsentShown): HtmlPage {
  const { lang, asked, session, workspaces, problems } = shown;
  const texts = CONSENT[lang];
  const title = texts.title(asked.client.name);
  const none = workspaces.length === 0;
  // Two equal buttons: neither answer is favoured.
  const buttons = html`<div class="actions"><button class="quiet" name="answer" value="decline" formnovalidate>${texts.decline}</button>${none ? null : html`<button class="quiet" name="answer" value="allow">${texts.allow}</button>`}</div>`;
  return cardPage({
    lang,
    title,
    card: html`<h1>${title}</h1>${problemSummary({ title: texts.notConnected, problems })}${maker(lang, asked)}<form method="post">${hidden(CSRF_FIELD, session.csrf)}${hidden(SEEN_FIELD, seenOf(asked))}${none ? notice(texts.noWorkspace, 'warn') : workspaceChoice(shown)}${abilities(lang, asked)}${returning(lang, asked)}${buttons}</form>`,
    foot: html`${texts.signedInAs(session.email)} <a href="/sign-in?again=1&amp;next=${encodeURIComponent(pathOf(asked))}">${texts.somebodyElse}</a>`,
  });
}

/**
 * Leads the browser back to the app after the answer. A redirect would not: browsers apply a form's policy to every
 * redirect after it, and nobody knows to which origins an app's own address leads on.
 *
 * @param target of the authorization server, which then redirects
 */
export function leadingOnPage(
  lang: Language,
  { redirectHost }: InteractionView,
  target: string,
): HtmlPage {
  const { answered, goesBack, goOn } = CONSENT[lang];
  return cardPage({
    lang,
    title: answered,
    head: html`<meta http-equiv="refresh" content="0;url=${target}">`,
    card: html`<h1>${answered}</h1><p>${goesBack(redirectHost)}</p><p><a href="${target}">${goOn}</a></p>`,
  });
}

/** The hidden field that identifies what the person saw. */
export const SEEN_FIELD = 'seen';

/**
 * Identifies who asks and for what: if an app changes while a person reads, they cannot grant what they did not see.
 */
export const seenOf = ({ uid, client, scopes, resource, redirectUri }: InteractionView): string =>
  createHash('sha256')
    .update(JSON.stringify([uid, client, scopes, resource, redirectUri]))
    .digest('base64url');

export const pathOf = ({ uid }: Pick<InteractionView, 'uid'>): string => `/oauth/authorize/${uid}`;

function maker(lang: Language, { client }: InteractionView): Html {
  const texts = CONSENT[lang];
  const { createdByWorkspace: workspace, uri, verification } = client;
  const host = uri === null ? null : URL.parse(uri)?.host;
  const verified = verification === 'verified';
  return html`<p>${workspace === null ? texts.selfMade : texts.madeBy(workspace)}${host ? ` ${texts.website(host)}` : null}</p>${notice(verified ? texts.verified : texts.notVerified, verified ? 'good' : 'warn')}`;
}

function workspaceChoice({ lang, workspaces, problems }: ConsentShown): Html {
  const texts = CONSENT[lang];
  const choices = workspaces.map(({ organizationId, organizationName }) => ({
    value: organizationId,
    label: organizationName,
  }));
  return radios({
    name: 'workspace',
    label: texts.workspace,
    hint: texts.workspaceHint,
    choices,
    chosen: choices.length === 1 ? choices.map(({ value }) => value) : [],
    error: problems.get('workspace'),
  });
}

function abilities(lang: Language, { scopes, resource }: InteractionView): Html {
  const texts = CONSENT[lang];
  const said = (scope: string): string => sentence(lang, scope, isForTools(resource));
  const usual = scopes.filter((scope) => scope !== HIGH_RISK);
  const list = (items: readonly string[]): Html =>
    html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  const risk = scopes.includes(HIGH_RISK)
    ? html`<div class="notice bad"><strong>${texts.highRisk}:</strong> ${said(HIGH_RISK)}</div>`
    : null;
  return html`<h2>${texts.may}</h2>${usual.length > 0 ? list(usual.map(said)) : null}${risk}<p class="soft">${texts.neverMore}</p><h2>${texts.cannot}</h2>${list(texts.cannotList)}`;
}

/** What a scope lets an app do, in words: by the API, or by agent tools alone. */
export function sentence(lang: Language, scope: string, byTools: boolean): string {
  const { says, saysOfTools } = CONSENT[lang];
  if (isOwnScope(scope)) return says[scope];
  if (!isScope(scope)) return scope;
  return (byTools ? saysOfTools[scope] : undefined) ?? KEYS[lang].says[scope];
}

function returning(lang: Language, { redirectHost, redirectUri }: InteractionView): Html {
  const texts = CONSENT[lang];
  const local = isLoopback(redirectUri) ? notice(texts.loopback, 'warn') : null;
  return html`<p>${texts.returns(redirectHost)}</p>${local}`;
}
