import type { InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';
import { AppError, notFound } from '../errors.ts';

/** The limits of the workspace's plan (design decisions §18). */
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

const LIMITS = `p.name, p.webhook_endpoints as "webhookEndpoints", p.numbers, p.seats, p.contacts,
  p.campaign_recipients as "campaignRecipients", p.active_automations as "activeAutomations",
  p.active_reminders as "activeReminders", p.max_pace as "maxPace", p.history_months as "historyMonths"`;

const PLAN_OF = `select ${LIMITS} from workspaces w join plans p on p.name = w.plan where w.organization_id = $1`;

/** Throws 404 if the workspace is gone. */
export async function planOf({ sql, organizationId }: InWorkspace): Promise<PlanLimits> {
  return found(await first<PlanLimits>(sql, PLAN_OF, [organizationId], 'plan-of'));
}

// The row first and by itself: whoever had to wait for it would join its new plan with the old one, and find nothing.
const LOCKED_PLAN = `
  with w as materialized (select plan from workspaces where organization_id = $1 for no key update)
  select ${LIMITS} from w join plans p on p.name = w.plan`;

/** How much of a limit is left. */
interface Allowance {
  readonly plan: string;
  readonly limit: number;
  readonly used: number;
}

/**
 * Locks the workspace's row until the transaction ends. What is counted from then on counts, so that two concurrent
 * calls cannot both take the last place. A simulation takes none.
 */
export async function lockedLimit(
  tx: InWorkspace,
  name: Limit,
): Promise<Pick<Allowance, 'plan' | 'limit'>> {
  const plan = tx.simulated ? await planOf(tx) : await lockedPlan(tx);
  return { plan: plan.name, limit: plan[name] };
}

const lockedPlan = async ({ sql, organizationId }: InWorkspace): Promise<PlanLimits> =>
  found(await first<PlanLimits>(sql, LOCKED_PLAN, [organizationId], 'plan-locked'));

/** Counts under the lock of the workspace's row. */
export async function allowance(
  tx: InWorkspace,
  name: Limit,
  used: () => Promise<number>,
): Promise<Allowance> {
  return { ...(await lockedLimit(tx, name)), used: await used() };
}

/** Refuses one more than the plan allows: 409 `quota` with `{limit, used, plan}` (specification, Errors). */
export async function checkQuota(
  tx: InWorkspace,
  name: Limit,
  count: () => Promise<number>,
): Promise<void> {
  const { plan, limit, used } = await allowance(tx, name, count);
  if (used < limit) return;
  const message = `The plan ${plan} allows ${limit}; ${used} are in use.`;
  throw new AppError('quota', message, { limit, used, plan });
}

function found(plan: PlanLimits | null): PlanLimits {
  if (!plan) throw notFound('workspace');
  return plan;
}
