import type { InWorkspace } from '../../context.ts';
import { first } from '../../db/sql.ts';
import type { Definition } from '../definition/language.ts';
import type { RunStatus } from '../rules.ts';

/** `nothing`: a run with higher priority listens in its place, so this one will get no answer. */
export type WaitsFor = 'time' | 'reply' | 'condition' | 'nothing';

/** A run as its next step finds it, locked, with its version. */
export interface Run {
  readonly id: string;
  readonly automationId: string;
  readonly automation: string;
  readonly definition: Definition;
  readonly contactId: string | null;
  readonly conversationId: string | null;
  readonly status: RunStatus;
  readonly stepId: string | null;
  readonly stepsTaken: number;
  readonly stepsSinceInput: number;
  readonly waitsFor: WaitsFor | null;
  readonly waitUntil: Date | null;
  readonly startedAt: Date;
  /** The automations that led here, this one last. */
  readonly chain: readonly string[];
  readonly priority: number;
  /** The message that it began with or heard last. */
  readonly messageId: string | null;
  /**
   * Messages up to this one are no replies, because they were written before our last message, or before a wait of
   * another kind ended.
   */
  readonly repliesAfter: string | null;
  readonly leaseUntil: Date | null;
  readonly hasWorkflow: boolean;
  /** When its workflow checks at the latest; null if that is unknown. */
  readonly workflowAt: Date | null;
  /** The automation was deactivated with its runs after this one began. */
  readonly stopped: boolean;
}

/** Locks in the same order as taking a conversation over; the count makes the conversation the first of the two. */
const LOCK = `
with talk as materialized (
  select id from conversations where organization_id = $1
    and id = (select conversation_id from automation_runs where organization_id = $1 and id = $2)
  for no key update)
select from automation_runs where organization_id = $1 and id = $2 and (select count(*) from talk) >= 0
for no key update`;

const COLUMNS = `
r.id, r.automation_id as "automationId", a.name as automation, v.definition, r.contact_id as "contactId",
  r.conversation_id as "conversationId", r.status, r.current_step_id as "stepId", r.steps_taken as "stepsTaken",
  r.steps_since_input as "stepsSinceInput", r.waits_for as "waitsFor", r.wait_until as "waitUntil",
  r.started_at as "startedAt", r.chain, r.priority, r.message_id as "messageId", r.replies_after as "repliesAfter",
  r.lease_until as "leaseUntil", r.has_workflow as "hasWorkflow", r.workflow_at as "workflowAt",
  coalesce(r.version <= a.stopped_version, false) as stopped`;

/** Reads the runs in `runs`, a table or a part of the statement, as steps need them. */
export const readingRuns = (runs: string): string => `
select ${COLUMNS}
from ${runs} r
join automations a on a.organization_id = r.organization_id and a.id = r.automation_id
join automation_versions v on v.organization_id = r.organization_id and v.automation_id = r.automation_id and v.version = r.version`;

const RUN = `${readingRuns('automation_runs')} where r.organization_id = $1 and r.id = $2`;

/**
 * Locked until the transaction ends, with its conversation, so that steps of a run happen one at a time, whoever
 * takes them.
 */
export async function lockRun(
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<Run | null> {
  const params = [organizationId, id];
  const held = await sql.rows(LOCK, params, 'lock-run');
  // Read after the lock is held, because the statement that waited for it might not see that the automation was
  // stopped.
  return held.length > 0 ? first<Run>(sql, RUN, params, 'locked-run') : null;
}
