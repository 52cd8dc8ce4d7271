import { VISIBILITIES } from '../../access/actor.ts';
import type { teamSettings } from '../../members/reading.ts';
import { checkboxes, radios } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Page } from '../page.ts';
import { MEMBERS } from './texts.ts';

export type Teams = Awaited<ReturnType<typeof teamSettings>>;

export interface MemberVisibility {
  readonly visibility: string;
  readonly teamIds: readonly string[];
}

/** What a person sees, and their teams. */
export function visibilityFields(
  page: Page,
  { visibility, teamIds }: MemberVisibility,
  teams: Teams,
): Html {
  const texts = MEMBERS[page.lang];
  return html`${radios({
    name: 'visibility',
    label: texts.visibility,
    error: page.problems.get('visibility'),
    chosen: [visibility],
    choices: VISIBILITIES.map((value) => ({ value, label: texts.sees[value] })),
  })}${checkboxes({
    name: 'team_ids',
    label: texts.teams,
    hint: html`${texts.teamsHint}${teams.length === 0 ? html` ${texts.noTeam} <a href="${page.base}/teams">${texts.addTeam}</a>` : null}`,
    error: page.problems.get('team_ids'),
    chosen: teamIds,
    choices: teams.map(({ id, name }) => ({ value: id, label: name })),
  })}`;
}
