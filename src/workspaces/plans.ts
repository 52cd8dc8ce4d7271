import type { ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import { AppError, notFound } from '../errors.ts';

/** What the workspace's plan allows (design decisions §18). */
export interface PlanLimits {
  readonly name: string;
  readonly webhookEndpoints: number;
  readonly numbers: number;
  readonly seats: number;
  readonly contacts: number;
  readonly campaignRecipients: number;
  readonly activeAutomations: number;
  readonly activeReminders: number;
  /** Messages per minute. */
  readonly maxPace: number;
  /** Null keeps messages for ever. */
  readonly historyMonths: number | null;
}

type Limit = Exclude<keyof PlanLimits, 'name' | 'maxPace' | 'historyMonths'>;
type InWorkspace = Pick<ReadContext, 'sql' | 'organizationId'>;

const LIMITS = `p.name, p.webhook_endpoints as "webhookEndpoints", p.numbers, p.seats, p.contacts,
  p.campaign_recipients as "campaignRecipients", p.active_automations as "activeAutomations",
  p.active_reminders as "activeReminders", p.max_pace as "maxPace", p.history_months as "historyMonths"`;

const PLAN_OF = `select ${LIMITS} from workspaces w join plans p on p.name = w.plan where w.organization_id = $1`;

export async function planOf({ sql, organizationId }: InWorkspace): Promise<PlanLimits> {
  return found(await first<PlanLimits>(sql, PLAN_OF, [organizationId], 'plan-of'));
}

/**
 * Refuses what goes over the plan: 409 `quota` with `{limit, used, plan}` (specification, Errors).
 *
 * `used` is counted after the workspace's row is locked, so that two calls at once cannot both take
 * the last place; the lock lasts until the transaction ends. `adding` is how many the caller wants.
 */
export async function checkQuota(
  tx: InWorkspace,
  limit: Limit,
  used: () => Promise<number>,
  adding = 1,
): Promise<void> {
  const plan = found(
    await first<PlanLimits>(
      tx.sql,
      `${PLAN_OF} for no key update of w`,
      [tx.organizationId],
      'plan-locked',
    ),
  );
  const count = await used();
  if (count + adding <= plan[limit]) return;
  throw new AppError('quota', `The plan ${plan.name} allows ${plan[limit]}; ${count} are in use.`, {
    limit: plan[limit],
    used: count,
    plan: plan.name,
  });
}

function found(plan: PlanLimits | null): PlanLimits {
  if (!plan) throw notFound('workspace');
  return plan;
}
