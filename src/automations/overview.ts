import type { InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';
import type { Definition } from './definition/language.ts';
import type { AutomationStatus } from './rules.ts';

type TriggerType = Definition['trigger']['type'];

/** What lists of automations show in addition to the API's list. */
export interface Overview {
  /** Of the published version; of the draft if there is none yet. */
  readonly trigger: TriggerType;
  /** Runs in progress, over all versions. */
  readonly open: number;
  readonly lastRunAt: Date | null;
}

/** By id, in one statement; unknown automations are missing. */
export async function overviewsOf(
  { sql, organizationId }: InWorkspace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Overview>> {
  const rows = await sql.rows<Overview & { readonly id: string }>(
    `select a.id, coalesce(a.trigger_type, a.draft #>> '{trigger,type}') as trigger,
       (select count(*)::int from automation_runs r where r.organization_id = a.organization_id
          and r.automation_id = a.id and r.status in ('running', 'waiting')) as open,
       (select r.started_at from automation_runs r where r.organization_id = a.organization_id
          and r.automation_id = a.id order by r.id desc limit 1) as "lastRunAt"
     from automations a where a.organization_id = $1 and a.id = any($2::text[])`,
    [organizationId, ids],
    'automation-overviews',
  );
  return new Map(rows.map(({ id, ...overview }) => [id, overview]));
}

/** What submissions of this form start, as they do while it is active; null for nothing. */
export const startedByForm = ({ sql, organizationId }: InWorkspace, formId: string) =>
  first<{ id: string; name: string; status: AutomationStatus }>(
    sql,
    `select a.id, a.name, a.status from forms f
     join automations a on a.organization_id = f.organization_id and a.id = f.automation_id
     where f.organization_id = $1 and f.id = $2`,
    [organizationId, formId],
  );
