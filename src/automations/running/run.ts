import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import type { Definition } from '../definition/language.ts';
import type { RunStatus } from '../rules.ts';

/** `nothing`: a more important run listens in its place, so nobody will answer this one any more. */
export type WaitsFor = 'time' | 'reply' | 'condition' | 'nothing';

/** A run as its next step finds it, locked, with the version that it follows. */
export interface Run {
  readonly id: string;
  readonly automationId: string;
  readonly automation: string;
  readonly version: number;
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
  readonly depth: number;
  /** The automations that led here, this one last. */
  readonly chain: readonly string[];
  readonly priority: number;
  readonly messageId: string | null;
  readonly leaseUntil: Date | null;
  readonly hasWorkflow: boolean;
  /** The automation was turned off, its runs with it, after this one began. */
  readonly stopped: boolean;
}

const LOCK = `
select r.id, r.automation_id as "automationId", a.name as automation, r.version, v.definition, r.contact_id as "contactId",
  r.conversation_id as "conversationId", r.status, r.current_step_id as "stepId", r.steps_taken as "stepsTaken",
  r.steps_since_input as "stepsSinceInput", r.waits_for as "waitsFor", r.wait_until as "waitUntil",
  r.started_at as "startedAt", r.depth, r.chain, r.priority, r.message_id as "messageId", r.lease_until as "leaseUntil",
  r.has_workflow as "hasWorkflow", coalesce(r.started_at <= a.stop_before, false) as stopped
from automation_runs r
join automations a on a.organization_id = r.organization_id and a.id = r.automation_id
join automation_versions v on v.organization_id = r.organization_id and v.automation_id = r.automation_id and v.version = r.version
where r.organization_id = $1 and r.id = $2
for no key update of r`;

/** Held until the transaction ends: steps of a run come one after another, whoever takes them. */
export const lockRun = (
  { sql, organizationId }: Pick<Context, 'sql' | 'organizationId'>,
  id: string,
): Promise<Run | null> => first<Run>(sql, LOCK, [organizationId, id], 'lock-run');
