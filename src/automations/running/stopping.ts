import { system } from '../../access/actor.ts';
import { endRuns } from '../../automated/runs.ts';
import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { recordCommand } from '../../outbox/record.ts';
import type { RunDeps } from './deps.ts';

/** How many are ended with the answer; the workflow ends the others, this many at a time. */
const AT_ONCE = { answering: 50, later: 200 };

export interface AutomationRef {
  readonly organizationId: string;
  readonly automationId: string;
}

const STOP =
  'update automations set stopped_version = version where organization_id = $1 and id = $2';

/**
 * Stops every current run between two steps, in the caller's transaction, which has locked the automation. Runs of
 * later activations have later versions and are not affected. From the commit on none begins another step, whenever
 * its row is ended (specification, deactivate).
 */
export async function stopAutomation(tx: Context, automationId: string): Promise<void> {
  await tx.sql.rows(STOP, [tx.organizationId, automationId]);
  await endSome(tx, automationId, AT_ONCE.answering);
  if (!(await allEnded(tx, automationId))) {
    await recordCommand(tx, 'automation.stopped', { automationId });
  }
}

/**
 * Ends a page of them.
 *
 * @returns `more`: there are more to end now; `later`: some are in the middle of a step, or wait for a call's answer
 */
export const stopRuns = (
  deps: RunDeps,
  { organizationId, automationId }: AutomationRef,
): Promise<'more' | 'later' | 'done'> =>
  transact(deps.contextFor(organizationId, system('automations')), async (tx) => {
    const ended = await endSome(tx, automationId, AT_ONCE.later);
    if (await allEnded(tx, automationId)) return 'done';
    return ended > 0 ? 'more' : 'later';
  });

/** Leaves out runs whose row is locked by a step being taken, and those with a call in progress. */
const some = (whose = '') => `r.id = any(array(
  select o.id from automation_runs o
  join automations a on a.organization_id = o.organization_id and a.id = o.automation_id
  where o.organization_id = $1 and o.automation_id = $4 and o.status in ('running', 'waiting')
    and o.version <= a.stopped_version and (o.lease_until is null or o.lease_until <= $3) ${whose}
  order by o.id limit $5 for no key update of o skip locked))`;

const endSome = (tx: Context, automationId: string, limit: number): Promise<number> =>
  endRuns(tx, 'cancelled', { where: some(), params: [automationId, limit] });

/** A contact's, if nothing is in progress: it must not keep a new one of the contact from beginning. */
export const endStopped = (tx: Context, automationId: string, contactId: string): Promise<number> =>
  endRuns(tx, 'cancelled', {
    where: some('and o.contact_id = $6'),
    params: [automationId, 1, contactId],
  });

const LEFT = `
select a.stopped_version as version, exists (
  select from automation_runs r where r.organization_id = $1 and r.automation_id = $2
    and r.status in ('running', 'waiting') and r.version <= a.stopped_version) as left
from automations a where a.organization_id = $1 and a.id = $2`;

/** Another deactivation may have stopped later versions meanwhile. */
const OVER = `
update automations set stopped_version = null where organization_id = $1 and id = $2 and stopped_version = $3`;

async function allEnded(tx: Context, automationId: string): Promise<boolean> {
  const params = [tx.organizationId, automationId];
  const row = await first<{ version: number | null; left: boolean }>(tx.sql, LEFT, params);
  if (row?.left) return false;
  if (row?.version != null) await tx.sql.rows(OVER, [...params, row.version]);
  return true;
}
