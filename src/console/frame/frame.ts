import type { MemberActor } from '../../access/actor.ts';
import type { HtmlPage } from '../../http/error-telling.ts';
import { HTMX } from '../../pages/assets.ts';
import { cardPage, document, PRODUCT } from '../../pages/document.ts';
import { hidden, problemSummary } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Language } from '../../pages/language.ts';
import { notice } from '../../pages/parts.ts';
import { CSRF_FIELD } from '../../people/forms.ts';
import type { Membership } from '../../people/service.ts';
import { type ConsolePage, type Fault, field, GROUPS, type Page, type View } from '../page.ts';
import { textsOf } from '../texts/texts.ts';
import { sayingPlace } from './away.ts';
import { UNSENT_SCRIPT, unsentPlace } from './unsent.ts';

/** A part that is refused keeps what it shows, and asks again; htmx would put the refusal in its place. */
const HTMX_SETTINGS = html`<meta name="htmx-config" content='{"includeIndicatorCSS":false,"history":false,"noSwap":[204,304,"4xx","5xx"]}'>
`;

/** A page of a workspace inside the console's frame. On a phone the navigation is a drawer, which needs no script. */
export function framed(
  page: Page,
  here: string,
  { title, content, live }: View,
  pages: readonly ConsolePage[],
): HtmlPage {
  const texts = textsOf(page.lang);
  const refused = page.problems.size > 0;
  return document({
    lang: page.lang,
    title: refused ? `${texts.problems}: ${title}` : `${title} · ${page.workspace.name}`,
    ...(live
      ? { scripts: [UNSENT_SCRIPT, HTMX], head: HTMX_SETTINGS }
      : { scripts: [UNSENT_SCRIPT] }),
    body: html`<a class="skip" href="#content">${texts.skip}</a>
<div class="shell">
<header class="side">
<p><a class="brand" href="${page.base}">${PRODUCT}</a></p>
<p class="workspace">${page.workspace.name}<a href="/console?choose">${texts.switchWorkspace}</a></p>
<button class="quiet" type="button" popovertarget="menu">${texts.menu}</button>
<div class="menu" id="menu" popover>
<nav aria-label="${texts.navigation}">${GROUPS.map((group) => groupOf(page, here, pages, group))}</nav>
${person(page)}
</div>
</header>
<main class="content" id="content">
${live ? sayingPlace(page) : null}${unsentPlace(page)}${page.flash ? notice(page.flash.text, page.flash.tone) : null}${problemSummary({ title: texts.problems, problems: page.faults.map(named), within: field(page, 'id'), content })}${content}
</main>
</div>`,
  });
}

/** With its place, if that is within a text for machines; of a plain list the sentence says which it is. */
function named({ path, field: at, text }: Fault): readonly [string, string | Html] {
  const place = path.replace(/^[^.[]*\.?/, '');
  return [
    at,
    place === '' || /^\[\d+\]$/.test(place) ? text : html`<code>${place}</code>: ${text}`,
  ];
}

function groupOf(
  { base, lang, may }: Page,
  here: string,
  pages: readonly ConsolePage[],
  group: (typeof GROUPS)[number],
): Html | null {
  const shown = pages.filter(
    ({ nav, permission }) => nav?.group === group && (permission === null || may(permission)),
  );
  if (shown.length === 0) return null;
  return html`<h2>${textsOf(lang).groups[group]}</h2><ul>${shown.map(
    ({ path, nav }) =>
      html`<li><a href="${base}${path}"${isHere(path, here) ? html` aria-current="page"` : null}>${nav?.name(lang) ?? null}</a></li>`,
  )}</ul>`;
}

/** A page below another one counts as part of it. */
const isHere = (path: string, here: string): boolean =>
  path === '' ? here === '' : here === path || here.startsWith(`${path}/`);

function person({ lang, session, ctx }: Page): Html {
  const texts = textsOf(lang);
  return html`<div class="who">${ctx.actor.name}<br><span class="soft">${roleName(lang, ctx.actor)}</span>
<p><a href="/account">${texts.account}</a></p>
<form method="post" action="/sign-out">${hidden(CSRF_FIELD, session.csrf)}<button class="link">${texts.signOut}</button></form></div>`;
}

const roleName = (lang: Language, { role }: MemberActor): string => textsOf(lang).roles[role];

/** For people with several workspaces, or none. */
export function workspaceChoice(lang: Language, memberships: readonly Membership[]): HtmlPage {
  const texts = textsOf(lang);
  const [title, lead] =
    memberships.length === 0
      ? [texts.noWorkspace, texts.noWorkspaceLead]
      : [texts.choose, texts.chooseLead];
  return cardPage({
    lang,
    title,
    card: html`<h1>${title}</h1><p>${lead}</p>${memberships.map(
      ({ organizationId, organizationName, role }) =>
        html`<p><a class="button quiet wide" href="/console/${organizationId}">${organizationName} <small>${texts.roles[role]}</small></a></p>`,
    )}`,
    foot: html`<a href="/account">${texts.account}</a>`,
  });
}
