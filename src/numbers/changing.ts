import { type AuditValue, changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { AppError, notFound } from '../errors.ts';
import { keepTeams } from '../members/keeping.ts';
import { lockNumber } from './known.ts';
import { presentNumber } from './present.ts';
import { holdStage, holdTeams, type NumberRow, selectNumber } from './queries.ts';
import type { DayHours } from './rules.ts';
import type { NumberPatch, NumberView } from './schema.ts';

/**
 * Renames a number or changes its teams, default team, stage and hours (specification, PATCH). Throws 404, 422
 * `unknown_team`, `team_not_in_number` and `unknown_stage`; nothing is changed then.
 */
export const updateNumber = (ctx: Context, id: string, patch: NumberPatch): Promise<NumberView> =>
  transact(ctx, async (tx) => {
    const before = await numberToChange(tx, id);
    const wanted = {
      name: patch.name ?? before.name,
      team_ids: patch.team_ids ? [...new Set(patch.team_ids)].sort() : before.team_ids,
      default_team_id: patch.default_team_id ?? before.default_team_id,
      stage_id: patch.stage_id === undefined ? before.stage_id : patch.stage_id,
      hours: patch.hours === undefined ? before.hours : patch.hours,
    };
    const changes = changesBetween(audited(before), audited(wanted));
    if (changes.length === 0) return presentNumber(before);
    await refuseUnknown(tx, before, wanted);
    await store(tx, id, wanted);
    const target = { type: 'number', id, name: wanted.name };
    await audit(tx, { action: 'number.updated', target, changes });
    return presentNumber({ ...before, ...wanted });
  });

type Wanted = Pick<NumberRow, 'name' | 'team_ids' | 'default_team_id' | 'stage_id' | 'hours'>;

/** One that the caller cannot see is refused like one that does not exist. */
async function numberToChange(tx: Context, id: string): Promise<NumberRow> {
  await lockNumber(tx, id);
  await holdTeams(tx, id);
  const row = await selectNumber(tx, id);
  if (!row) throw notFound('number');
  return row;
}

async function refuseUnknown(tx: Context, before: NumberRow, wanted: Wanted): Promise<void> {
  const added = wanted.team_ids.filter((id) => !before.team_ids.includes(id));
  const known = await keepTeams(tx, added);
  const unknown = added.filter((id) => !known.has(id));
  if (unknown.length > 0)
    throw new AppError('unknown_team', 'There is no such team.', { team_ids: unknown });
  const { default_team_id, stage_id, team_ids } = wanted;
  if (default_team_id !== null && !team_ids.includes(default_team_id))
    throw new AppError(
      'team_not_in_number',
      "The default team must be one of the number's teams.",
      {
        default_team_id,
        team_ids,
      },
    );
  const newStage = stage_id !== null && stage_id !== before.stage_id;
  if (newStage && !(await holdStage(tx, stage_id)))
    throw new AppError('unknown_stage', 'There is no such stage.', { stage_id });
}

async function store(tx: Context, id: string, wanted: Wanted): Promise<void> {
  const { name, team_ids, default_team_id, stage_id, hours } = wanted;
  const place = [tx.organizationId, id];
  await tx.sql.rows(
    `update numbers set name = $3, default_team_id = $4, stage_id = $5, hours = $6::jsonb
     where organization_id = $1 and id = $2`,
    [...place, name, default_team_id, stage_id, hours && JSON.stringify(hours)],
  );
  await tx.sql.rows(
    `delete from number_teams where organization_id = $1 and number_id = $2 and team_id <> all ($3::text[])`,
    [...place, team_ids],
  );
  await tx.sql.rows(
    `insert into number_teams (organization_id, number_id, team_id)
     select $1, $2, unnest($3::text[]) on conflict do nothing`,
    [...place, team_ids],
  );
}

const audited = ({ hours, ...fields }: Wanted): Record<string, AuditValue> => ({
  name: fields.name,
  team_ids: fields.team_ids,
  default_team_id: fields.default_team_id,
  stage_id: fields.stage_id,
  hours: hours?.map(inWords) ?? null,
});

/** A closed day keeps its hours too, so that changing them is a change. */
const inWords = ({ open, from, to }: DayHours): string => {
  const hours = `${from} to ${to}`;
  return open ? hours : `closed (${hours})`;
};
