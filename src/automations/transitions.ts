import { requireFullVisibility } from '../access/visibility.ts';
import type { Change } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { checkQuota } from '../workspaces/plans.ts';
import { rewindClock } from './clock/clocks.ts';
import type { Issue } from './issues/issues.ts';
import { refuseErrors } from './issues/refusing.ts';
import { countActive, countOpenRuns } from './queries.ts';
import { getAutomation } from './reading.ts';
import { deactivationRefusal, type InProgress, publishes } from './rules.ts';
import { stopAutomation } from './running/stopping.ts';
import type { AutomationDetail } from './schema.ts';
import { requireLocked, targetOf } from './service.ts';

/**
 * Publishes the draft as the next version and activates the automation; runs in progress stay on their version. If it
 * is active already and the draft is unchanged, nothing happens (design decisions §9). Throws 422
 * `invalid_definition` with every error of the draft, 409 `quota`, and 403 `forbidden` for a member who sees less than
 * the workspace: its runs act on what anybody writes.
 */
export const activateAutomation = (ctx: Context, id: string): Promise<AutomationDetail> =>
  transact(ctx, async (tx) => {
    const before = await requireLocked(tx, id);
    if (!publishes(before.status, before.unpublished_edits)) return getAutomation(tx, id);
    requireFullVisibility(tx.actor, UNSEEN, { automation_id: id });
    await refuseErrors(tx, before.draft, whatKeepsItOff);
    if (before.status !== 'active')
      await checkQuota(tx, 'activeAutomations', () => countActive(tx));
    await rewindClock(tx, id);
    const version = before.version + 1;
    await tx.sql.rows(
      `with published as (
         insert into automation_versions (organization_id, automation_id, version, definition, created_at)
         select organization_id, id, $3, draft, $4 from automations where organization_id = $1 and id = $2)
       update automations set status = 'active', version = $3, trigger_type = draft #>> '{trigger,type}', updated_at = $4
       where organization_id = $1 and id = $2`,
      [tx.organizationId, id, version, tx.now],
    );
    const status = { field: 'status', from: before.status, to: 'active' };
    await audit(tx, {
      action: before.status === 'active' ? 'automation.published' : 'automation.activated',
      target: targetOf(before),
      changes: [
        ...(before.status === 'active' ? [] : [status]),
        { field: 'version', from: before.version, to: version },
      ],
    });
    return getAutomation(tx, id);
  });

const UNSEEN =
  'An automation acts on what you do not see, too. Only somebody who sees the whole workspace may activate it.';

/**
 * Once this is answered, no new run starts. `cancel` also ends the runs in progress, including those that an earlier
 * deactivation let finish (design decisions §9).
 */
export const deactivateAutomation = (
  ctx: Context,
  id: string,
  inProgress: InProgress,
): Promise<AutomationDetail> =>
  transact(ctx, async (tx) => {
    const before = await requireLocked(tx, id);
    const refusal = deactivationRefusal(before.status);
    if (refusal) throw refusal;
    const turnedOff = before.status === 'active';
    if (turnedOff) {
      await tx.sql.rows(
        `update automations set status = 'inactive', updated_at = $3
         where organization_id = $1 and id = $2`,
        [tx.organizationId, id, tx.now],
      );
    }
    const changes = [
      ...(turnedOff ? [{ field: 'status', from: before.status, to: 'inactive' }] : []),
      ...(inProgress === 'cancel' ? await stopRunsOf(tx, id) : []),
    ];
    if (changes.length > 0)
      await audit(tx, { action: 'automation.deactivated', target: targetOf(before), changes });
    return getAutomation(tx, id);
  });

async function stopRunsOf(tx: Context, id: string): Promise<Change[]> {
  const open = await countOpenRuns(tx, id);
  if (open === 0) return [];
  await stopAutomation(tx, id);
  return [{ field: 'runs_cancelled', from: null, to: open }];
}

/** How many issues the message names; the details contain them all. */
const NAMED = 3;

function whatKeepsItOff(errors: readonly Issue[]): string {
  const count = errors.length === 1 ? 'One issue keeps' : `${errors.length} issues keep`;
  const named = errors.slice(0, NAMED).map(({ path, step_id, message }) => {
    const place = path ?? step_id;
    return place ? `${place}: ${message}` : message;
  });
  return `${count} the automation from being activated. ${named.join(' ')}`;
}
