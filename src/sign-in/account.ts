import type { Framed } from '../http/framed.ts';
import type { Mount } from '../http/mount.ts';
import { requestOf } from '../http/serving/frame.ts';
import { showOwnPage } from '../http/serving/page.ts';
import { document, PRODUCT } from '../pages/document.ts';
import { hidden, problemSummary, textField } from '../pages/fields.ts';
import { formatFor } from '../pages/format.ts';
import { type Html, html } from '../pages/html.ts';
import type { Language } from '../pages/language.ts';
import { badge, notice, table } from '../pages/parts.ts';
import { CSRF_FIELD, checkForm, fieldOf } from '../people/forms.ts';
import { type Membership, membershipsOf, renamePerson } from '../people/service.ts';
import { seeOther, sessionOf, setSessionCookie, signedIn } from '../people/session-cookie.ts';
import { endOthers, listSessions, type Session } from '../people/sessions.ts';
import { changePassword } from '../people/signing-in.ts';
import { browserName } from './browsers.ts';
import { connectedSection } from './connected.ts';
import {
  errorPage,
  languageIn,
  passwordProblem,
  queryOf,
  type SignInParts,
  tellOfChange,
} from './parts.ts';
import { PASSKEY_SCRIPT, passkeySection } from './passkeys.ts';
import { ACCOUNT } from './texts/account.ts';
import { CONNECTED } from './texts/connected.ts';
import { PASSKEYS } from './texts/passkeys.ts';
import { SIGN_IN } from './texts/sign-in.ts';

/** A person's own page: the apps that act for them, where they are signed in, and their password. */
export const accountMounts = (parts: SignInParts): Mount[] => [
  {
    path: '/account',
    methods: ['GET'],
    errorPage,
    handle: signedIn(parts, (ctx, session) => open(parts, ctx, session)),
  },
  {
    path: '/account/name',
    methods: ['POST'],
    errorPage,
    handle: signedIn(parts, (ctx, session) => receiveName(parts, ctx, session)),
  },
  {
    path: '/account/sessions',
    methods: ['POST'],
    errorPage,
    handle: signedIn(parts, async (ctx, session) => {
      const body = await checkForm(parts, ctx, session);
      const only = fieldOf(body, 'session') || null;
      await endOthers(parts, session, { only, request: requestOf(ctx) });
      seeOther(ctx, `/account?done=${only ? 'ended' : 'all-ended'}`);
    }),
  },
  {
    path: '/account/password',
    methods: ['POST'],
    errorPage,
    handle: async (ctx) => {
      const session = await sessionOf(parts, ctx);
      if (session) await receivePassword(parts, ctx, session);
      // Of a double click the first request may have ended the session of the second.
      else seeOther(ctx, '/sign-in?done=maybe-changed&next=%2Faccount');
    },
  },
];

interface Shown {
  /** Of the person, as it was sent. */
  readonly name?: string;
  readonly problems: ReadonlyMap<string, string>;
  readonly note: string;
  /** Of the HTTP answer. */
  readonly status: number;
}

const NOTHING: Shown = { problems: new Map(), note: '', status: 200 };

async function open(
  parts: SignInParts,
  ctx: Framed,
  session: Session,
  { name = session.name, problems, note, status }: Shown = NOTHING,
): Promise<void> {
  const lang = languageIn(ctx);
  const texts = ACCOUNT[lang];
  const passkeys = PASSKEYS[lang];
  const notes: Readonly<Record<string, string>> = {
    ended: texts.ended,
    'all-ended': texts.allEnded,
    name: texts.nameSaved,
    email: texts.emailChanged,
    password: texts.changed,
    passkey: passkeys.added,
    'passkey-removed': passkeys.removed,
    'no-passkey': passkeys.failed,
    disconnected: CONNECTED[lang].disconnected,
  };
  const done = note || notes[queryOf(ctx, 'done')] || '';
  const sections = [
    nameForm(lang, session, { name, problem: problems.get(OWN_NAME) }),
    workspacesOf(lang, await membershipsOf(parts.database, session.userId)),
    await connectedSection(parts, lang, session),
    await sessionsOf(parts, lang, session),
    await passkeySection(parts, lang, session),
    passwordForm(lang, session, problems.has(OWN_NAME) ? NOTHING.problems : problems),
  ];
  const content = html`<main class="content" id="content"><p class="brand">${PRODUCT}</p><div class="bar"><h1>${texts.title}</h1><form method="post" action="/sign-out">${hidden(CSRF_FIELD, session.csrf)}<button class="quiet">${texts.signOut}</button></form></div><p class="soft">${session.name} · ${session.email} · <a href="/account/email">${texts.changeEmail}</a></p>${done ? notice(done, queryOf(ctx, 'done') === 'no-passkey' ? 'bad' : 'good') : null}${sections}</main>`;
  showOwnPage(
    ctx,
    document({ lang, title: texts.title, body: content, scripts: [PASSKEY_SCRIPT] }),
    status,
  );
}

/** A field of the page has this name already: a passkey's. */
const OWN_NAME = 'own_name';

function nameForm(
  lang: Language,
  { csrf }: Session,
  { name, problem }: { readonly name: string; readonly problem: string | undefined },
): Html {
  const texts = ACCOUNT[lang];
  const problems = new Map(problem === undefined ? [] : [[OWN_NAME, problem]]);
  const field = textField({
    name: OWN_NAME,
    label: texts.name,
    hint: texts.nameHint,
    value: name,
    error: problem,
    autocomplete: 'name',
    maxLength: 120,
    required: true,
  });
  return html`<section class="card"><h2>${texts.ownName}</h2>${problemSummary({ title: texts.nameNotSaved, problems })}<form method="post" action="/account/name">${hidden(CSRF_FIELD, csrf)}${field}<button>${texts.saveName}</button></form></section>`;
}

async function receiveName(parts: SignInParts, ctx: Framed, session: Session): Promise<void> {
  const name = fieldOf(await checkForm(parts, ctx, session), OWN_NAME);
  if (await renamePerson(parts, session.userId, name)) return seeOther(ctx, '/account?done=name');
  const problems = new Map([[OWN_NAME, ACCOUNT[languageIn(ctx)].nameWrong]]);
  return open(parts, ctx, session, { name, problems, note: '', status: 422 });
}

function workspacesOf(lang: Language, memberships: readonly Membership[]): Html {
  const texts = ACCOUNT[lang];
  const active = memberships.filter(({ status }) => status === 'active');
  const list = active.map(
    ({ organizationId, organizationName }) =>
      html`<li><a href="/console/${organizationId}">${organizationName}</a></li>`,
  );
  return html`<section class="card"><h2>${texts.workspaces}</h2>${active.length === 0 ? html`<p>${texts.noWorkspace}</p>` : html`<ul>${list}</ul>`}</section>`;
}

async function sessionsOf(parts: SignInParts, lang: Language, session: Session): Promise<Html> {
  const texts = ACCOUNT[lang];
  const format = formatFor(lang, 'UTC');
  const all = await listSessions(parts, session.userId);
  const csrf = hidden(CSRF_FIELD, session.csrf);
  const rows = all.map(({ id, userAgent, ip, lastSeenAt }) => {
    const browser = browserName(userAgent) ?? texts.unknown;
    const end = html`<form method="post" action="/account/sessions">${csrf}${hidden('session', id)}<button class="link" aria-label="${texts.endLabel(browser)}">${texts.end}</button></form>`;
    return [
      browser,
      ip ?? texts.unknown,
      format.time(lastSeenAt),
      id === session.id ? badge(texts.thisOne, 'good') : end,
    ];
  });
  const others = html`<form method="post" action="/account/sessions">${csrf}<button class="quiet">${texts.endOthers}</button></form>`;
  return html`<section class="card"><h2>${texts.sessions}</h2>${table({ caption: texts.sessions, columns: texts.columns, rows })}${all.length > 1 ? others : null}</section>`;
}

function passwordForm(
  lang: Language,
  session: Session,
  problems: ReadonlyMap<string, string>,
): Html {
  const texts = ACCOUNT[lang];
  const field = (name: string, label: string, autocomplete: string, hint?: string): Html =>
    textField({
      name,
      label,
      type: 'password',
      autocomplete,
      maxLength: 200,
      required: true,
      error: problems.get(name),
      ...(hint ? { hint } : {}),
    });
  return html`<section class="card"><h2>${texts.password}</h2>${problemSummary({ title: texts.notChanged, problems })}<form method="post" action="/account/password">${hidden(CSRF_FIELD, session.csrf)}<input type="hidden" name="email" value="${session.email}" autocomplete="username">${field('current', texts.current, 'current-password')}${field('password', texts.fresh, 'new-password', texts.freshHint)}<button>${texts.change}</button></form></section>`;
}

async function receivePassword(parts: SignInParts, ctx: Framed, session: Session): Promise<void> {
  const body = await checkForm(parts, ctx, session);
  const lang = languageIn(ctx);
  const texts = ACCOUNT[lang];
  const refuse = (name: string, text: string, status: number): Promise<void> =>
    open(parts, ctx, session, { problems: new Map([[name, text]]), note: '', status });
  const change = {
    current: fieldOf(body, 'current'),
    password: fieldOf(body, 'password'),
    request: requestOf(ctx),
  };
  const outcome = await changePassword(parts, session, change).catch((error: unknown) => ({
    problem: passwordProblem(error, lang),
  }));
  if ('problem' in outcome) return refuse('password', outcome.problem, 422);
  if ('wrong' in outcome) return refuse('current', texts.wrong, 422);
  if ('waitSeconds' in outcome) {
    ctx.set('Retry-After', String(outcome.waitSeconds));
    return refuse('', SIGN_IN[lang].tooMany(Math.ceil(outcome.waitSeconds / 60)), 429);
  }
  setSessionCookie(parts, ctx, outcome.token);
  if (!outcome.already) await tellOfChange(parts, lang, session.email);
  seeOther(ctx, '/account?done=password');
}
