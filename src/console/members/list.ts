import type { Visibility } from '../../access/actor.ts';
import { ROLES, type Role } from '../../access/roles.ts';
import { listMembers, teamSettings } from '../../members/reading.ts';
import { selectField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, table } from '../../pages/parts.ts';
import { inviteMember } from '../../people/invitations.ts';
import { planOf } from '../../workspaces/plans.ts';
import { type Action, allOf, type ConsolePage, type Flash, field, type Page } from '../page.ts';
import { asSent, form } from '../parts/form.ts';
import { following, pageAfter } from '../parts/listing.ts';
import { planName, textsOf } from '../texts/texts.ts';
import { MEMBERS } from './texts.ts';
import { type MemberVisibility, type Teams, visibilityFields } from './visibility.ts';

const PAGE = 100;
const TONES = { active: 'good', invited: 'plain', suspended: 'bad' } as const;

const invite: Action = {
  permission: 'members.manage',
  once: 'apart',
  problemsAt: { duplicate: 'email' },
  run: async (page) => {
    const email = field(page, 'email').trim();
    // The service refuses unknown values, and names the known ones.
    const role = field(page, 'role') as Role;
    const visibility = visibilityIn(page).visibility as Visibility;
    const rights = { role, visibility, team_ids: visibilityIn(page).teamIds };
    const wish = { email, name: field(page, 'name'), ...rights };
    const { mailed } = await inviteMember(page.ctx, page.parts, wish);
    return { to: '/members', flash: invitedFlash(page, email, mailed) };
  },
};

const visibilityIn = (page: Page): MemberVisibility => ({
  visibility: field(page, 'visibility') || 'workspace',
  teamIds: allOf(page, 'team_ids'),
});

/** What the page says after an invitation. */
export function invitedFlash({ lang }: Page, email: string, mailed: boolean): Flash {
  const texts = MEMBERS[lang];
  return mailed ? { text: texts.invited(email) } : { text: texts.notMailed, tone: 'warn' };
}

export const membersPage: ConsolePage = {
  path: '/members',
  permission: 'members.read',
  nav: { group: 'workspace', name: (lang) => MEMBERS[lang].nav },
  actions: { invite },
  view: async (page) => {
    const texts = MEMBERS[page.lang];
    const { roles } = textsOf(page.lang);
    const from = pageAfter(page, 'mem', PAGE);
    const { data, next } = await listMembers(page.ctx, from);
    const all = await teamSettings(page.ctx);
    const teams = new Map(all.map(({ id, name }) => [id, name]));
    const taken = data.filter(({ seat }) => seat).length;
    const whole = from.after === null && next === null;
    return {
      title: texts.nav,
      content: html`<h1>${texts.nav}</h1>
${whole ? html`<p>${await seatsLine(page, taken)}</p>` : null}
${table({
  caption: texts.nav,
  columns: texts.columns,
  rows: data.map((one) => [
    html`<a href="${page.base}/members/${one.id}">${one.name}</a><br><span class="soft">${one.email}</span>`,
    roles[one.role],
    texts.sees[one.visibility],
    one.team_ids.map((id) => teams.get(id) ?? '').join(', '),
    badge(texts.status[one.status], TONES[one.status]),
  ]),
})}
${page.may('members.manage') ? inviting(page, all) : null}
${following(page, next)}`,
    };
  },
};

async function seatsLine({ ctx, lang, format }: Page, used: number): Promise<string> {
  const { name, seats } = await planOf(ctx);
  return MEMBERS[lang].seats(format.number(used), format.number(seats), planName(name));
}

function inviting(page: Page, teams: Teams): Html {
  const texts = MEMBERS[page.lang];
  const { roles } = textsOf(page.lang);
  const possible = possibleRoles(page);
  if (!page.parts.mailer) return html`<p class="soft">${texts.noMail}</p>`;
  return html`<section class="card"><h2>${texts.invite}</h2><p class="soft">${texts.inviteLead}</p>${form(
    page,
    'invite',
    html`${textField({ ...asSent(page, 'email'), type: 'email', label: texts.email, autocomplete: 'off', required: true })}${textField(
      {
        ...asSent(page, 'name'),
        label: texts.name,
        maxLength: 120,
        required: true,
      },
    )}${selectField({
      name: 'role',
      label: texts.role,
      value: field(page, 'role') || 'agent',
      error: page.problems.get('role'),
      options: possible.map((value) => ({ value, label: roles[value] })),
    })}${visibilityFields(page, visibilityIn(page), teams)}<button>${texts.invite}</button>`,
  )}</section>`;
}

/** Only an Owner can make someone an Owner. */
export const possibleRoles = ({ ctx }: Page): readonly Role[] =>
  ROLES.filter((role) => role !== 'owner' || ctx.actor.role === 'owner');
