import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import type { updateNumber } from '../../numbers/changing.ts';
import { lockNumber } from '../../numbers/known.ts';
import { getNumber } from '../../numbers/reading.ts';
import { checkboxes, selectField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { call } from '../calling.ts';
import { type Action, allOf, field, idOf, type Page, wasRefused } from '../page.ts';
import { asSeen, seenField } from '../parts/as-seen.ts';
import { asShown, changedIn, listAfter } from '../parts/as-shown.ts';
import { hoursAfter, hoursChanged, hoursFields, hoursKept, scheduleOf } from './hours.ts';
import type { WhatsAppNumber } from './list.ts';
import { NUMBERS } from './texts.ts';

type NumberPatch = Parameters<typeof updateNumber>[2];

interface Named {
  readonly id: string;
  readonly name: string;
}

/** What a number can be given, by name. */
export interface Around {
  readonly teams: readonly Named[];
  readonly stages: readonly Named[];
}

const keptOf = (one: WhatsAppNumber): Record<string, string> => ({
  name: one.name,
  team_ids: one.team_ids.join('\n'),
  default_team_id: one.default_team_id ?? '',
  stage_id: one.stage_id ?? '',
  ...hoursKept(one.hours),
});

/** What was changed in the form; what it only showed may have changed since. */
function patchOf(page: Page, stored: WhatsAppNumber): NumberPatch {
  const { name, default_team_id, stage_id } = changedIn(page, {
    name: field(page, 'name'),
    default_team_id: field(page, 'default_team_id'),
    stage_id: field(page, 'stage_id') || null,
  });
  const teams = listAfter(page, 'team_ids', stored.team_ids);
  return {
    ...(name === undefined ? {} : { name }),
    ...(teams === undefined ? {} : { team_ids: teams }),
    ...(default_team_id ? { default_team_id } : {}),
    ...(stage_id === undefined ? {} : { stage_id }),
    ...(hoursChanged(page) ? { hours: hoursAfter(page, stored.hours) } : {}),
  };
}

export const save: Action = {
  permission: 'numbers.manage',
  problemsAt: {
    team_not_in_number: 'default_team_id',
    unknown_team: 'team_ids',
    unknown_stage: 'stage_id',
  },
  // One transaction: the patch depends on what is stored.
  run: (page) =>
    transact(page.ctx, async (tx) => {
      const id = idOf(page);
      await lockNumber(tx, id);
      const body = patchOf(page, await getNumber(tx, id));
      const within = { ...page, ctx: { ...tx, actor: page.ctx.actor } };
      const write = (to: Page<Context>): Promise<unknown> =>
        call(to, 'update_number', { id, body });
      // Days are no change of a week that somebody took away meanwhile.
      await (body.hours === undefined
        ? write(within)
        : asSeen(within, { stored: lockedSchedule(id), for: 'written' }, write));
      return { to: `/numbers/${id}`, flash: { text: NUMBERS[page.lang].saved } };
    }),
};

const lockedSchedule =
  (id: string) =>
  async (tx: Context): Promise<string> =>
    scheduleOf((await getNumber(tx, id)).hours);

/** After an error, the form keeps what was sent. */
export function fields(page: Page, one: WhatsAppNumber, { teams, stages }: Around): Html {
  const texts = NUMBERS[page.lang];
  const refused = wasRefused(page, 'save');
  const kept = keptOf(one);
  const shown = (name: string): string => (refused ? field(page, name) : (kept[name] ?? ''));
  const about = (name: string) => ({ name, value: shown(name), error: page.problems.get(name) });
  const optionsOf = (named: readonly Named[]) =>
    named.map(({ id, name }) => ({ value: id, label: name }));
  const none = { value: '', label: texts.nothing };
  const chosen = refused ? allOf(page, 'team_ids') : one.team_ids;
  const ofTeams = html`${checkboxes({ ...about('team_ids'), label: texts.teams, hint: texts.teamsHint, choices: optionsOf(teams), chosen })}
${selectField({
  ...about('default_team_id'),
  label: texts.defaultTeam,
  hint: texts.defaultTeamHint,
  // A number that has one always has one (specification, PATCH).
  options: [...(one.default_team_id === null ? [none] : []), ...optionsOf(teams)],
})}`;
  return html`${seenField(page, scheduleOf(one.hours))}${asShown(page, kept, refused)}${textField({ ...about('name'), label: texts.name, maxLength: 60, required: true })}
${teams.length === 0 ? html`<p class="soft">${texts.noTeams} <a href="${page.base}/teams">${texts.toTeams}</a></p>` : ofTeams}
${selectField({ ...about('stage_id'), label: texts.stage, hint: texts.stageHint, options: [none, ...optionsOf(stages)] })}
${hoursFields(page, shown)}<button>${texts.save}</button>`;
}
