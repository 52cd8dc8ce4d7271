import type { Context } from '../../context.ts';
import { teamSettings } from '../../members/reading.ts';
import { removeTeam } from '../../members/removing.ts';
import { addTeam, type TeamPatch, updateTeam } from '../../members/teams.ts';
import { checkbox, hidden, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { disclosure, table } from '../../pages/parts.ts';
import {
  type Action,
  type ConsolePage,
  field,
  type OnceAction,
  type Page,
  wasRefused,
} from '../page.ts';
import { asShown, changedIn } from '../parts/as-shown.ts';
import { form } from '../parts/form.ts';
import { MEMBERS } from './texts.ts';
import { wholeNumberOrNone } from './whole-number.ts';

type Team = Awaited<ReturnType<typeof teamSettings>>[number];

/** @param said what the page says afterwards */
const action = (
  run: (page: Page<Context>) => Promise<unknown>,
  said: 'teamAdded' | 'saved' | 'teamRemoved',
  once: OnceAction['once'] = true,
): Action => ({
  permission: 'members.manage',
  once,
  problemsAt: { duplicate: 'name' },
  run: async (page) => {
    await run(page);
    return { to: '/teams', flash: { text: MEMBERS[page.lang][said] } };
  },
});

/** What was written in the form; what it only showed may have changed since. */
function patchOf(page: Page<Context>): TeamPatch {
  const changed = changedIn(page, {
    name: field(page, 'name'),
    auto_assign: field(page, 'auto_assign') === 'on',
    return_after_minutes: wholeNumberOrNone(page, 'return_after_minutes'),
  });
  const { name, auto_assign: autoAssign, return_after_minutes: returnAfterMinutes } = changed;
  return { name, autoAssign, returnAfterMinutes };
}

/** What the form shows, to which its action compares what was sent. */
const keptOf = ({ name, auto_assign, return_after_minutes: minutes }: Team) => ({
  name,
  auto_assign: auto_assign ? 'on' : '',
  return_after_minutes: minutes === null ? '' : String(minutes),
});

export const teamsPage: ConsolePage = {
  path: '/teams',
  permission: 'members.read',
  nav: { group: 'workspace', name: (lang) => MEMBERS[lang].teamsNav },
  actions: {
    add: action((page) => addTeam(page.ctx, field(page, 'name')), 'teamAdded'),
    save: action((page) => updateTeam(page.ctx, field(page, 'id'), patchOf(page)), 'saved'),
    remove: action((page) => removeTeam(page.ctx, field(page, 'id')), 'teamRemoved', 'apart'),
  },
  view: async (page) => {
    const texts = MEMBERS[page.lang];
    const teams = await teamSettings(page.ctx);
    const manages = page.may('members.manage');
    return {
      title: texts.teamsNav,
      content: html`<h1>${texts.teamsNav}</h1><p class="soft">${texts.teamsLead}</p>
${table({
  caption: texts.teamsNav,
  columns: texts.teamColumns,
  none: texts.noTeam,
  rows: teams.map((team) => rowOf(page, team, manages)),
})}${manages ? adding(page) : null}`,
    };
  },
};

function adding(page: Page): Html {
  const texts = MEMBERS[page.lang];
  const refused = wasRefused(page, 'add');
  const name = textField({
    name: 'name',
    label: texts.teamName,
    value: refused ? field(page, 'name') : '',
    error: refused ? page.problems.get('name') : undefined,
    maxLength: 60,
    required: true,
  });
  return html`<section class="card"><h2>${texts.addTeam}</h2>${form(page, 'add', html`${name}<button>${texts.addTeam}</button>`)}</section>`;
}

function rowOf(page: Page, team: Team, manages: boolean): (Html | string | null)[] {
  const texts = MEMBERS[page.lang];
  const { return_after_minutes: minutes } = team;
  return [
    team.name,
    page.format.number(team.members),
    team.auto_assign ? texts.yes : texts.no,
    minutes === null ? texts.never : texts.minutes(page.format.number(minutes)),
    manages ? changing(page, team) : null,
  ];
}

/** The fields of each team have their own ids, because several of these forms are on one page. */
function changing(page: Page, team: Team): Html {
  const { id, name } = team;
  const kept = keptOf(team);
  const texts = MEMBERS[page.lang];
  const named = html`<span class="unseen"> ${name}</span>`;
  const refused = wasRefused(page, 'save', id);
  const shownIn = (of: keyof typeof kept) => (refused ? field(page, of) : kept[of]);
  const about = (of: 'name' | 'return_after_minutes') => ({
    name: of,
    within: id,
    value: shownIn(of),
    error: refused ? page.problems.get(of) : undefined,
  });
  return disclosure(
    html`${texts.change}${named}`,
    html`${form(
      page,
      'save',
      html`${hidden('id', id)}${asShown(page, kept, refused)}${textField({ ...about('name'), label: texts.teamName, maxLength: 60, required: true })}${checkbox(
        {
          name: 'auto_assign',
          within: id,
          value: 'on',
          label: texts.autoAssign,
          hint: texts.autoAssignHint,
          checked: shownIn('auto_assign') === 'on',
        },
      )}${textField({
        ...about('return_after_minutes'),
        type: 'number',
        label: texts.returnAfter,
        hint: texts.returnAfterHint,
      })}<button>${texts.save}</button>`,
    )}<h3>${texts.removeTeam}</h3><p>${texts.removeTeamLead}</p>${form(
      page,
      'remove',
      html`${hidden('id', id)}<button class="danger">${texts.removeTeam}${named}</button>`,
    )}`,
    { open: refused },
  );
}
