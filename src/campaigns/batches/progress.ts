import { system } from '../../access/actor.ts';
import type { Context } from '../../context.ts';
import { inWorkspace } from '../../db/database.ts';
import { first, type Sql } from '../../db/sql.ts';
import { LEASE_AHEAD_MS } from '../../numbers/pacing.ts';
import type { CampaignRef } from '../audience/freezing.ts';
import type { Campaign } from '../entities.ts';
import { quietOf } from '../limits/guards.ts';
import { effectivePace } from '../limits/pacing.ts';
import { quietUntil } from '../limits/quiet-hours.ts';
import { FROM, OTHERS, REQUESTED_PACE } from '../queries.ts';
import { REACHED } from '../reached.ts';
import type { CampaignProgress, CampaignStatus, WaitingFor } from '../rules.ts';
import {
  beginScheduled,
  finishCampaign,
  settlePaused,
  tidyCancelled,
} from '../states/by-itself.ts';
import type { SendingDeps } from './deps.ts';
import { CLAIM_LEASE_MS, giveUpStale } from './settling.ts';
import { longest, type Wait, waitFor } from './waits.ts';

/** Where a campaign stands but for its recipients. */
interface Outside {
  readonly status: CampaignStatus;
  readonly frozen: boolean;
  readonly unsettled: boolean;
  readonly number_id: string | null;
  readonly send_at: Date | null;
  readonly pace: number | null;
  readonly ceiling_per_minute: number | null;
  readonly others: readonly (number | null)[];
  readonly time_zone: string;
  readonly quiet_from: string | null;
  readonly quiet_to: string | null;
  readonly waiting_until: Date | null;
  readonly waiting_for: WaitingFor | null;
  /** Milliseconds until WhatsApp accepts messages of the number again; null if it did not refuse any. */
  readonly held_ms: number | null;
}

interface Standing extends Outside {
  readonly sent: number;
  readonly delivered: number;
  readonly lost: number;
  readonly pending: number;
  readonly sending: number;
  /** Milliseconds; null if there are none. */
  readonly next_pending_ms: number | null;
  readonly oldest_claim_ms: number | null;
}

const COLUMNS = `c.status, c.frozen_at is not null as frozen, c.unsettled, c.number_id, c.send_at, ${REQUESTED_PACE} as pace,
  n.ceiling_per_minute, ${OTHERS} as others, w.time_zone, t.quiet_from, t.quiet_to, c.waiting_until, c.waiting_for,
  (select extract(epoch from p.held_until - now()) * 1000 from pacers p
    where p.organization_id = $1 and p.number_id = c.number_id and p.lane = 'number')::float8 as held_ms`;

const OF_THIS = 'where c.organization_id = $1 and c.id = $2';

const STANDING = `
select ${COLUMNS}, r.* ${FROM}
cross join lateral (
  select count(*) filter (where status in ${REACHED}) as sent,
    count(*) filter (where status in ('delivered', 'read')) as delivered,
    count(*) filter (where status in ('failed', 'skipped', 'unconfirmed')) as lost,
    count(*) filter (where status = 'pending') as pending,
    count(*) filter (where status = 'sending') as sending,
    (extract(epoch from min(coalesce(not_before, now())) filter (where status = 'pending') - now()) * 1000)::float8 as next_pending_ms,
    (extract(epoch from now() - min(claimed_at) filter (where status = 'sending')) * 1000)::float8 as oldest_claim_ms
  from campaign_recipients where organization_id = $1 and campaign_id = $2) r
${OF_THIS}`;

const standing = (
  sql: Sql,
  { organizationId, campaignId }: CampaignRef,
): Promise<Standing | null> =>
  first(sql, STANDING, [organizationId, campaignId], 'campaign-standing');

/**
 * Whether nothing but its recipients can keep a batch from sending. Asked without counting them, because there may be
 * very many, and between two batches nothing is sent.
 */
export const isUnhindered = (deps: SendingDeps, ref: CampaignRef): Promise<boolean> =>
  inWorkspace(deps.database, ref.organizationId, async (sql) => {
    const { organizationId, campaignId } = ref;
    const found = await first<Outside>(
      sql,
      `select ${COLUMNS} ${FROM} ${OF_THIS}`,
      [organizationId, campaignId],
      'campaign-outside',
    );
    if (found?.status !== 'sending' || !found.frozen) return false;
    const rests = found.waiting_until ?? restOf(found, deps.clock.now()).waiting_until;
    return rests === null && (found.held_ms ?? 0) <= 0;
  });

/** With nobody left to send to there is nothing to pause: the campaign is done once the last answers are in. */
export async function somebodyIsLeft(
  { sql, organizationId }: Context,
  { id }: Pick<Campaign, 'id'>,
): Promise<boolean> {
  const left = await first(
    sql,
    `select 1 from campaign_recipients where organization_id = $1 and campaign_id = $2 and status = 'pending' limit 1`,
    [organizationId, id],
  );
  return left !== null;
}

/**
 * Advances the campaign as far as possible without sending: starts it when its time has come, gives up recipients of
 * a dead worker, and makes it `done` after the last recipient. Returns what is next. Safe to repeat.
 */
export async function advance(deps: SendingDeps, ref: CampaignRef): Promise<CampaignProgress> {
  const now = deps.clock.now();
  const look = (): Promise<Standing | null> =>
    inWorkspace(deps.database, ref.organizationId, async (sql) => {
      let found = await standing(sql, ref);
      if (found?.number_id && (found.oldest_claim_ms ?? 0) > CLAIM_LEASE_MS) {
        await giveUpStale(sql, { ...ref, numberId: found.number_id }, now);
        found = await standing(sql, ref);
      }
      return found && { ...found, ...(await rest(sql, ref, found, now)) };
    });
  let found = await look();
  if (found && (await moved(deps, ref, found))) found = await look();
  return found ? progressOf(found, now) : GONE;
}

const GONE: CampaignProgress = {
  stage: 'gone',
  waitMs: 0,
  sent: 0,
  delivered: 0,
  lost: 0,
  left: 0,
  minutesToGo: null,
  frozen: false,
};

function progressOf(found: Standing, now: Date): CampaignProgress {
  const left = found.pending + found.sending;
  const pace = effectivePace(found.pace, found.ceiling_per_minute, found.others);
  return {
    stage: found.status,
    ...waitOf(found, now),
    sent: found.sent,
    delivered: found.delivered,
    lost: found.lost,
    left,
    minutesToGo: pace === null ? null : Math.ceil(left / pace),
    frozen: found.frozen,
  };
}

type Rest = Pick<Standing, 'waiting_until' | 'waiting_for'>;

const NO_REST: Rest = { waiting_until: null, waiting_for: null };

/** Quiet hours are computed each time; the start of the next day was recorded when this one's limit was reached. */
function restOf(found: Outside, now: Date): Rest {
  if (found.status !== 'sending' || !found.frozen) return NO_REST;
  // A batch ends this long before them, and no other begins.
  const quiet = quietUntil(quietOf(found), new Date(now.getTime() + LEASE_AHEAD_MS));
  if (quiet) return { waiting_until: quiet, waiting_for: 'quiet_hours' };
  const { waiting_until: until, waiting_for: why } = found;
  return why === 'warm_up' && until && until > now
    ? { waiting_until: until, waiting_for: why }
    : NO_REST;
}

/** Shown with the campaign, and stored as long as it applies. */
async function rest(
  sql: Sql,
  { organizationId, campaignId }: CampaignRef,
  found: Standing,
  now: Date,
): Promise<Rest> {
  const next = restOf(found, now);
  if (next.waiting_until?.getTime() === found.waiting_until?.getTime()) return next;
  await sql.rows(
    `update campaigns set waiting_until = $3, waiting_for = $4
     where organization_id = $1 and id = $2 and status = 'sending'`,
    [organizationId, campaignId, next.waiting_until, next.waiting_for],
    'campaign-rest',
  );
  return next;
}

/** One due step, if any. */
async function moved(deps: SendingDeps, ref: CampaignRef, found: Standing): Promise<boolean> {
  const ctx = deps.contextFor(ref.organizationId, system('campaigns'));
  const { status, send_at: sendAt, pending, sending } = found;
  if (status === 'scheduled' && sendAt && sendAt <= ctx.now) {
    await beginScheduled(ctx, ref.campaignId);
    return true;
  }
  if (status === 'sending' && found.frozen && pending + sending === 0) {
    await finishCampaign(ctx, ref.campaignId);
    return true;
  }
  if (status === 'cancelled' && (pending > 0 || (found.unsettled && sending === 0))) {
    await tidyCancelled(ctx, ref.campaignId);
    return true;
  }
  if (status === 'paused' && found.unsettled && sending === 0) {
    await settlePaused(ctx, ref.campaignId);
    return true;
  }
  return false;
}

/** A stopped batch needs about this long for its sends in flight. */
const STOPPING_MS = 1_000;
/** Sends of another attempt, which look the same as the lease of a dead worker. */
const UNDER_WAY_MS = 3_000;

function waitOf(found: Standing, now: Date): Wait {
  const msUntil = (at: Date | null): number | null => at && at.getTime() - now.getTime();
  if (found.status === 'scheduled') return waitFor(msUntil(found.send_at));
  if (found.status === 'sending' && (found.pending > 0 || !found.frozen))
    return longest(
      waitFor(0),
      waitFor(msUntil(found.waiting_until), found.waiting_for),
      waitFor(found.held_ms, 'number'),
      waitFor(found.next_pending_ms, 'another_try'),
    );
  if (found.sending === 0) return waitFor(0);
  // Held by someone: either settled soon, or given up when the lease ends.
  const leaseMs = Math.max(500, CLAIM_LEASE_MS - (found.oldest_claim_ms ?? 0) + 250);
  const mostMs = found.status === 'sending' ? UNDER_WAY_MS : STOPPING_MS;
  return waitFor(Math.min(leaseMs, mostMs), 'under_way');
}
