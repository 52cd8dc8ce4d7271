import { visibleRuns } from '../access/visibility.ts';
import type { InWorkspace, Seeing } from '../context.ts';
import { advisoryLock } from '../db/advisory-locks.ts';
import { binding, equalBy, first } from '../db/sql.ts';
import type { PageRequest } from '../http/route.ts';
import type { Definition } from './definition/language.ts';
import type { AutomationStatus } from './rules.ts';
import type { AutomationFilters, RunDetail, RunFilters, RunView } from './schema.ts';

export interface AutomationRow {
  readonly id: string;
  readonly name: string;
  readonly status: AutomationStatus;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly version: number;
  readonly description: string | null;
  readonly unpublished_edits: boolean;
}

/** An automation with its draft, and how often its trigger fired without starting a run. */
export interface DraftRow extends AutomationRow {
  readonly draft: Definition;
  /** By reason. */
  readonly runs_dropped: Readonly<Record<string, number>>;
}

const SUMMARY = `a.id, a.name, a.status, a.created_at, a.updated_at, a.version, a.description,
  v.definition is distinct from a.draft as unpublished_edits`;

const FROM = `from automations a left join automation_versions v
  on v.organization_id = a.organization_id and v.automation_id = a.id and v.version = a.version
  where a.organization_id = $1`;

/** Returns one row more than asked for if there is one. */
export const listAutomationRows = (
  { sql, organizationId }: InWorkspace,
  { status }: AutomationFilters,
  { limit, after }: PageRequest,
): Promise<AutomationRow[]> =>
  sql.rows(
    `select ${SUMMARY} ${FROM} and ($2::text is null or a.id < $2) and ($3::text is null or a.status = $3)
     order by a.id desc limit $4`,
    [organizationId, after?.id ?? null, status ?? null, limit + 1],
  );

const DROPPED = `coalesce((select json_object_agg(d.reason, d.count) from automation_drops d
  where d.organization_id = a.organization_id and d.automation_id = a.id and d.reason <> 'loop_detected'), '{}') as runs_dropped`;

/** With its draft; null for one of another workspace. */
export const findAutomation = (
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<DraftRow | null> =>
  first(sql, `select ${SUMMARY}, a.draft, ${DROPPED} ${FROM} and a.id = $2`, [organizationId, id]);

/** Locked until the transaction ends, so that changes, activations and starts of runs happen one at a time. */
export async function lockAutomation(at: InWorkspace, id: string): Promise<DraftRow | null> {
  const known = await first<object>(
    at.sql,
    'select from automations where organization_id = $1 and id = $2 for no key update',
    [at.organizationId, id],
  );
  // Read after the lock is held, because the statement that waited for it still sees the earlier row.
  return known && findAutomation(at, id);
}

/** Checks of names in a workspace happen one at a time, ignoring case. */
export const findByName = async (
  { sql, organizationId }: InWorkspace,
  name: string,
): Promise<string | null> => {
  await advisoryLock(sql, 'unique', `automations:${organizationId}`);
  const row = await first<{ id: string }>(
    sql,
    'select id from automations where organization_id = $1 and lower(name) = lower($2)',
    [organizationId, name],
  );
  return row?.id ?? null;
};

/** Compared with the plan's limit of active automations. */
export const countActive = async ({ sql, organizationId }: InWorkspace): Promise<number> => {
  const row = await first<{ used: number }>(
    sql,
    "select count(*) as used from automations where organization_id = $1 and status = 'active'",
    [organizationId],
  );
  return row?.used ?? 0;
};

/** Runs that have not ended; deactivating reports how many go on. */
export const countOpenRuns = async (
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<number> => {
  const row = await first<{ open: number }>(
    sql,
    `select count(*)::int as open from automation_runs
     where organization_id = $1 and automation_id = $2 and status in ('running', 'waiting')`,
    [organizationId, id],
  );
  return row?.open ?? 0;
};

interface Dates {
  readonly wait_until: Date | null;
  readonly started_at: Date;
  readonly finished_at: Date | null;
}

export type RunRow = Omit<RunView, keyof Dates> & Dates & { readonly automation: string };
type StepDates = Pick<Dates, 'started_at' | 'finished_at'>;
export type RunStepRow = Omit<RunDetail['steps'][number], keyof StepDates> & StepDates;

const RUN = `select r.id, r.automation_id, r.version, r.contact_id, r.conversation_id, r.trigger, r.status, r.current_step_id,
    r.wait_until, r.started_at, r.finished_at, r.error, r.depth, r.cause_run_id, a.name as automation
  from automation_runs r join automations a on a.organization_id = r.organization_id and a.id = r.automation_id
  where r.organization_id = $1`;

/** Returns one row more than asked for if there is one. */
export const listRunRows = (
  ctx: Seeing,
  automationId: string,
  { status, contact_id }: RunFilters,
  { limit, after }: PageRequest,
): Promise<RunRow[]> => {
  const { params, bind } = binding(ctx.organizationId);
  const equal = equalBy(bind);
  const conditions = [
    `r.automation_id = ${bind(automationId)}`,
    visibleRuns(ctx.actor, bind),
    ...(after ? [`r.id < ${bind(after.id)}`] : []),
    ...equal('r.status', status),
    ...equal('r.contact_id', contact_id),
  ];
  const text = `${RUN} and ${conditions.join(' and ')} order by r.id desc limit ${bind(limit + 1)}`;
  return ctx.sql.rows(text, params);
};

/**
 * @param lock locks the run until the transaction ends
 */
export const findRun = (
  ctx: Seeing,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<RunRow | null> => {
  const { params, bind } = binding(ctx.organizationId);
  const text = `${RUN} and r.id = ${bind(id)} and ${visibleRuns(ctx.actor, bind)}`;
  return first(ctx.sql, lock ? `${text} for no key update of r` : text, params);
};

const STEPS_SHOWN = 1000;

/** The latest 1,000 steps of a run, oldest first. */
export const listRunSteps = (
  { sql, organizationId }: InWorkspace,
  runId: string,
): Promise<RunStepRow[]> =>
  sql.rows(
    `select step_id, type, status, output, error, started_at, finished_at from (
       select * from automation_run_steps where organization_id = $1 and run_id = $2
       order by seq desc limit ${STEPS_SHOWN}) s order by seq`,
    [organizationId, runId],
  );
