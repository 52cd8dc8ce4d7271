import { type Database, inWorkspace } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';
import type { Sweep } from '../db/sweeping.ts';
import { workspacesAfter } from '../db/workspaces.ts';
import type { Quality } from '../gateway/port.ts';
import { idFloor } from '../ids.ts';
import type { Moved } from './moving.ts';
import { type Finding, findingOf, type NumberCause, type Observed } from './states.ts';

const WATCHED = `status in ('provisioning', 'awaiting_pairing', 'connected', 'degraded', 'suspended')`;

/** Why a number is suspended that the end of a restriction puts back: not for a ban of its account, nor for its payment. */
const RESTRICTED = `('account_restriction', 'whatsapp_368', 'whatsapp_131031')`;

type Move = (organizationId: string, numberId: string, cause: NumberCause) => Promise<Moved | null>;

/**
 * Checks every number that is in use, about to be or suspended, and moves those whose state no longer fits (design decisions
 * §8).
 *
 * @param move changes a number, and what depends on it, in its own transaction
 */
export const healthSweep = (
  database: Pick<Database, 'app' | 'system'>,
  now: Date,
  move: Move,
): Sweep => ({
  page: (after) => workspacesAfter(database, after, { table: 'numbers', where: WATCHED }),
  tend: async (organizationId) => {
    const found = await inWorkspace(database, organizationId, (sql) =>
      look(sql, organizationId, now),
    );
    let moved = 0;
    for (const { id, cause } of found) if (await move(organizationId, id, cause)) moved += 1;
    return moved;
  },
});

interface Found {
  readonly id: string;
  readonly cause: NumberCause;
}

async function look(sql: Sql, organizationId: string, now: Date): Promise<Found[]> {
  const observed = await observe(sql, organizationId, now);
  const findings = observed.map((seen) => ({ id: seen.id, finding: findingOf(seen, now) }));
  const unwell = findings.filter(({ finding }) => finding === 'unwell').map(({ id }) => id);
  if (unwell.length > 0) await noteUnwell(sql, organizationId, unwell, now);
  return findings.flatMap(({ id, finding }) => (isCause(finding) ? [{ id, cause: finding }] : []));
}

const isCause = (finding: Finding): finding is NumberCause =>
  finding !== null && finding !== 'unwell';

const RECENT_MS = 10 * 60_000;
/** Of the workspace's latest messages: a sample costs the same on a busy day. */
const SAMPLE = 5_000;

/** Failures caused by the recipient or the message say nothing about the number. */
const OWN_REASONS = `('no_whatsapp', 'no_recipient', 'out_of_window', 'media_invalid', 'template_invalid', 'missing_variable')`;

const observe = (
  sql: Sql,
  organizationId: string,
  now: Date,
): Promise<(Observed & { readonly id: string })[]> =>
  sql.rows(
    `with sent as (
       select m.number_id, count(*) as settled,
         count(*) filter (where m.status = 'failed' and coalesce(m.reason, '') not in ${OWN_REASONS}) as failed
       from (select number_id, status, error ->> 'reason' as reason from messages
             where organization_id = $1 and id >= $2 and direction = 'outbound'
             order by id desc limit ${SAMPLE}) m
       where m.status in ('sent', 'delivered', 'read', 'failed') group by 1)
     select n.id, n.provider, n.status, n.status_changed_at as "statusChangedAt", h.quality,
       h.unhealthy_at as "unhealthyAt", h.heartbeat_at as "heartbeatAt", h.closed_at as "closedAt",
       p.slowed_since as "slowedSince", p.slowed_until as "slowedUntil",
       case when n.status_reason in ${RESTRICTED} then h.restricted_until end as "restrictedUntil",
       coalesce(s.settled, 0)::int as settled, coalesce(s.failed, 0)::int as failed
     from numbers n
     left join number_health h on h.organization_id = $1 and h.number_id = n.id
     left join pacers p on p.organization_id = $1 and p.number_id = n.id and p.lane = 'number'
     left join sent s on s.number_id = n.id
     where n.organization_id = $1 and n.${WATCHED} order by n.id`,
    [organizationId, idFloor('msg', new Date(now.getTime() - RECENT_MS))],
  );

const noteUnwell = (
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
  now: Date,
): Promise<unknown> =>
  sql.rows(
    `insert into number_health (organization_id, number_id, unhealthy_at)
     select $1, id, $3 from unnest($2::text[]) id
     on conflict (organization_id, number_id) do update set unhealthy_at = excluded.unhealthy_at`,
    [organizationId, ids, now],
  );

/** Stores until when WhatsApp restricts a number, in the caller's transaction; null where it names no end. */
export const noteRestriction = (
  sql: Sql,
  organizationId: string,
  numberId: string,
  until: Date | null,
): Promise<unknown> =>
  sql.rows(
    `insert into number_health (organization_id, number_id, restricted_until) values ($1, $2, $3)
     on conflict (organization_id, number_id) do update set restricted_until = excluded.restricted_until`,
    [organizationId, numberId, until],
  );

/** What WhatsApp, or a paired device, reports about a number besides its state. */
export interface HealthSignal {
  readonly quality?: Quality;
  /** When it had that quality. */
  readonly qualityAt?: Date;
  /** When the device last reported; its connection is open. */
  readonly heartbeatAt?: Date;
  readonly closedAt?: Date;
}

/**
 * Stores a report for the next check, in the caller's transaction. A device's connection is as the latest report says,
 * whichever comes last.
 *
 * @returns whether it was news: false for a quality from before the one that is known
 */
export async function noteSignal(
  sql: Sql,
  organizationId: string,
  numberId: string,
  { quality, qualityAt, heartbeatAt, closedAt }: HealthSignal,
): Promise<boolean> {
  const values = [quality ?? null, heartbeatAt ?? null, closedAt ?? null, qualityAt ?? null];
  const noted = await sql.rows(
    `insert into number_health as h (organization_id, number_id, quality, heartbeat_at, closed_at, last_closed_at,
       quality_at)
     values ($1, $2, coalesce($3, 'unknown'), $4, $5, $5, $6)
     on conflict (organization_id, number_id) do update set
       quality = coalesce($3, h.quality), quality_at = coalesce($6, h.quality_at),
       heartbeat_at = greatest(h.heartbeat_at, $4),
       closed_at = case when $4 >= h.closed_at then case when $4 < h.last_closed_at then h.last_closed_at end
         when $5 < h.heartbeat_at then h.closed_at else coalesce(h.closed_at, $5) end,
       last_closed_at = greatest(h.last_closed_at, $5)
     where coalesce(h.quality_at <= $6, true) returning number_id`,
    [organizationId, numberId, ...values],
  );
  return noted.length > 0;
}
