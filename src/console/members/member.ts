import { PERMISSION_OPTIONS } from '../../access/roles.ts';
import { namesOfAutomationsNaming } from '../../automated/references.ts';
import type { Context } from '../../context.ts';
import {
  type MemberPatch,
  reactivateMember,
  suspendMember,
  updateMember,
} from '../../members/changing.ts';
import { memberSettings, teamSettings } from '../../members/reading.ts';
import { removeMember } from '../../members/removing.ts';
import { checkboxes, selectField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { definitions } from '../../pages/parts.ts';
import { inviteAgain } from '../../people/invitations.ts';
import { segmentsNaming } from '../../segments/naming.ts';
import { endpointsMadeBy } from '../../webhooks/service.ts';
import { crumbs } from '../frame/heading.ts';
import { type Action, allOf, type ConsolePage, field, idOf, type Page } from '../page.ts';
import { asShown, changedIn, listAfter } from '../parts/as-shown.ts';
import { askFirst, form } from '../parts/form.ts';
import { textsOf } from '../texts/texts.ts';
import { invitedFlash, possibleRoles } from './list.ts';
import { MEMBERS } from './texts.ts';
import { type Teams, visibilityFields } from './visibility.ts';
import { wholeNumber } from './whole-number.ts';

type Settings = Awaited<ReturnType<typeof memberSettings>>;

/**
 * @param said what the page says afterwards
 */
const action = (
  run: (ctx: Context, id: string) => Promise<unknown>,
  said: 'suspended' | 'reactivated' | 'removed',
): Action => ({
  permission: 'members.manage',
  once: 'apart',
  run: async (page) => {
    const id = idOf(page);
    await run(page.ctx, id);
    if (id === page.ctx.actor.id && said !== 'reactivated') return { to: null };
    const to = said === 'removed' ? '/members' : `/members/${id}`;
    return { to, flash: { text: MEMBERS[page.lang][said] } };
  },
});

const save: Action = {
  permission: 'members.manage',
  run: async (page) => {
    const role = field(page, 'role');
    const changed = changedIn(page, {
      name: field(page, 'name'),
      role,
      visibility: field(page, 'visibility'),
      capacity: wholeNumber(page, 'capacity'),
    });
    await updateMember(page.ctx, idOf(page), ({ options, team_ids }) => {
      const after = role === 'agent' ? listAfter(page, 'options', options) : undefined;
      const lists = { options: after, team_ids: listAfter(page, 'team_ids', team_ids) };
      // The service refuses unknown values, and names the known ones.
      return { ...changed, ...lists } as MemberPatch;
    });
    return { to: `/members/${idOf(page)}`, flash: { text: MEMBERS[page.lang].saved } };
  },
};

const again: Action = {
  permission: 'members.manage',
  once: 'apart',
  run: async (page) => {
    const { member, mailed } = await inviteAgain(page.ctx, page.parts, idOf(page));
    return { to: `/members/${member.id}`, flash: invitedFlash(page, member.email, mailed) };
  },
};

export const memberPage: ConsolePage = {
  path: '/members/:id',
  id: 'mem',
  permission: 'members.read',
  actions: {
    save,
    invite_again: again,
    suspend: action(suspendMember, 'suspended'),
    reactivate: action(reactivateMember, 'reactivated'),
    remove: action(removeMember, 'removed'),
  },
  view: async (page) => {
    const texts = MEMBERS[page.lang];
    const settings = await memberSettings(page.ctx, idOf(page));
    const teams = await teamSettings(page.ctx);
    const names = teams.filter(({ id }) => settings.team_ids.includes(id)).map(({ name }) => name);
    return {
      title: settings.name,
      content: html`${crumbs(page, ['/members', texts.nav])}
<h1>${settings.name}</h1>
${definitions([
  [texts.email, settings.email],
  [texts.role, textsOf(page.lang).roles[settings.role]],
  [texts.visibility, texts.sees[settings.visibility]],
  [texts.teams, names.join(', ') || '–'],
  [texts.columns[4], texts.status[settings.status]],
])}
${mayManage(page, settings) ? await managing(page, settings, teams) : null}`,
    };
  },
};

/** Admins manage everyone except Owners; the service enforces the same rule. */
const mayManage = ({ may, ctx }: Page, { role }: Settings): boolean =>
  may('members.manage') && (role !== 'owner' || ctx.actor.role === 'owner');

/** What the form shows, to which its action compares what was sent. */
const keptOf = ({ name, role, visibility, capacity, options, team_ids }: Settings) => ({
  name,
  role,
  visibility,
  capacity: String(capacity),
  options: options.join('\n'),
  team_ids: team_ids.join('\n'),
});

async function managing(page: Page, settings: Settings, teams: Teams): Promise<Html> {
  const texts = MEMBERS[page.lang];
  const named = await segmentsNaming(page.ctx, settings.id);
  const left = [...(await madeNarrowly(page, settings)), ...(await givenTo(page, settings))];
  const change = settings.status === 'suspended' ? 'reactivate' : 'suspend';
  const steps =
    change === 'reactivate'
      ? form(page, change, html`<button class="quiet">${texts.reactivate}</button>`)
      : askFirst(page, change, {
          label: texts.suspend,
          lead: [texts.suspendLead, ...left],
          danger: true,
        });
  const sendAgain =
    settings.status === 'invited' && page.parts.mailer
      ? form(page, 'invite_again', html`<button class="quiet">${texts.inviteAgain}</button>`)
      : null;
  const alsoNamed = named > 0 ? [texts.removeNamed(page.format.number(named))] : [];
  const lead = [texts.removeLead, ...left, ...alsoNamed];
  return html`<section class="card">${form(page, 'save', html`${asShown(page, keptOf(settings))}${fields(page, settings, teams)}<button>${texts.save}</button>`)}</section>
<div class="actions">${sendAgain}${steps}${askFirst(page, 'remove', { label: texts.remove, lead, danger: true })}</div>`;
}

/** What receives only what this person may see, and therefore nothing without them. */
async function madeNarrowly(page: Page, { id, visibility }: Settings): Promise<string[]> {
  const made = visibility === 'workspace' ? 0 : await endpointsMadeBy(page.ctx, id);
  const { silenced } = MEMBERS[page.lang];
  return made === 0 ? [] : [silenced(page.format.number(made))];
}

/** The automations that would go on giving them conversations, and fail. */
async function givenTo(page: Page, { id }: Settings): Promise<string[]> {
  const names = await namesOfAutomationsNaming(page.ctx, id);
  return names.length === 0 ? [] : [MEMBERS[page.lang].automated(names.join(', '))];
}

function fields(page: Page, settings: Settings, teams: Teams): Html {
  const texts = MEMBERS[page.lang];
  const again = page.sent.size > 0 && field(page, 'action') === 'save';
  const shown = (name: string, value: string): string => (again ? field(page, name) : value);
  const chosen = (name: string, values: readonly string[]): readonly string[] =>
    again ? allOf(page, name) : values;
  const error = (name: string): string | undefined => page.problems.get(name);
  const { roles } = textsOf(page.lang);
  return html`${textField({ name: 'name', label: texts.name, value: shown('name', settings.name), error: error('name'), maxLength: 120, required: true })}${selectField(
    {
      name: 'role',
      label: texts.role,
      value: shown('role', settings.role),
      error: error('role'),
      options: possibleRoles(page).map((value) => ({ value, label: roles[value] })),
    },
  )}${checkboxes({
    name: 'options',
    label: texts.options,
    hint: texts.optionsHint,
    error: error('options'),
    chosen: chosen('options', settings.options),
    choices: PERMISSION_OPTIONS.map((value) => ({ value, label: texts.optionNames[value] })),
  })}${visibilityFields(page, { visibility: shown('visibility', settings.visibility), teamIds: chosen('team_ids', settings.team_ids) }, teams)}${textField(
    {
      name: 'capacity',
      type: 'number',
      label: texts.capacity,
      hint: texts.capacityHint,
      value: shown('capacity', String(settings.capacity)),
      error: error('capacity'),
    },
  )}`;
}
