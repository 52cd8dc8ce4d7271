import { visibleThrough } from '../../access/visibility.ts';
import { mergedInto } from '../../contacts/missing.ts';
import type { Context } from '../../context.ts';
import { binding, first } from '../../db/sql.ts';
import { AppError, validation } from '../../errors.ts';
import { requireSegment } from '../../segments/service.ts';
import type { CampaignInput } from './input.ts';

/** Refuses the whole call if any target does not exist, with the code for its kind. */
export async function requireTarget(tx: Context, input: CampaignInput): Promise<void> {
  if (input.segment_id !== null) await requireSegment(tx, input.segment_id, 'segment_id');
  if (input.pipeline_id) await requirePipeline(tx, input.pipeline_id, input.stage_ids ?? []);
  if (input.group_ids.length > 0) await requireGroups(tx, input);
  if (input.contact_ids.length === 0) return;
  const unknown = await unknownContacts(tx, input.contact_ids);
  if (unknown.length === 0) return;
  const message = `${unknown.length === 1 ? 'One contact does' : 'Some contacts do'} not exist. Nothing was changed.`;
  const into = await mergedInto(tx, unknown);
  throw new AppError('unknown_contact', message, {
    contact_ids: unknown,
    ...(Object.keys(into).length > 0 ? { merged_into: into } : {}),
  });
}

/** At most ten. The others are held: a merge waits, and then finds the campaign that lists them. */
async function unknownContacts(
  { sql, organizationId }: Context,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(
    `select id from contacts where organization_id = $1 and id = any($2::text[])
     order by id for key share`,
    [organizationId, ids],
  );
  const known = new Set(rows.map(({ id }) => id));
  return [...new Set(ids)].filter((id) => !known.has(id)).slice(0, 10);
}

/** A group that the number is not in, or that the caller cannot see, counts as unknown. */
async function requireGroups(tx: Context, input: CampaignInput): Promise<void> {
  const { params, bind } = binding(tx.organizationId, input.group_ids, input.number_id);
  const rows = await tx.sql.rows<{ id: string }>(
    `select distinct i.id from unnest($2::text[]) i (id)
     left join groups g on g.organization_id = $1 and g.id = i.id and g.number_id = $3
       and ${visibleThrough(tx.actor, 'g', bind)}
     where g.id is null limit 10`,
    params,
  );
  if (rows.length === 0) return;
  const message = `${rows.length === 1 ? 'One group does' : 'Some groups do'} not exist on this number. Nothing was changed.`;
  throw new AppError('unknown_group', message, { group_ids: rows.map(({ id }) => id) });
}

async function requirePipeline(
  { sql, organizationId }: Context,
  pipelineId: string,
  stageIds: readonly string[],
): Promise<void> {
  const pipeline = await first(
    sql,
    'select 1 from pipelines where organization_id = $1 and id = $2 for key share',
    [organizationId, pipelineId],
  );
  if (!pipeline) {
    const message = 'There is no such pipeline.';
    throw validation([{ path: 'pipeline_id', rule: 'unknown', message }]);
  }
  // Held, so that none is removed by whoever does not see this campaign yet.
  const rows = await sql.rows<{ id: string }>(
    `select id from stages where organization_id = $1 and pipeline_id = $2 and id = any($3::text[])
     order by id for key share`,
    [organizationId, pipelineId, stageIds],
  );
  const known = new Set(rows.map(({ id }) => id));
  const unknown = stageIds.filter((id) => !known.has(id)).slice(0, 10);
  if (unknown.length === 0) return;
  const message = 'There is no such stage in the pipeline.';
  throw new AppError('unknown_stage', message, { stage_ids: unknown });
}
