import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { fetchAgain } from '../media/fetching.ts';
import { recordNumberBack } from '../outbox/happenings.ts';
import { canSend, type NumberStatus } from './rules.ts';
import { hasChanged, isAnswered, type Standing } from './stale-causes.ts';
import { type NumberCause, nextStatus, reasonOf } from './states.ts';

type Tx = Pick<Context, 'sql' | 'organizationId' | 'actor' | 'request' | 'now'>;

/** An event that may move a number to another status. */
export interface NumberEvent {
  readonly cause: NumberCause;
  /** A short code more specific than the cause, such as `whatsapp_190`; else `reasonOf` it. */
  readonly reason?: string;
  /** When it happened, if someone else reports it: what is older than what happened since is ignored. */
  readonly at?: Date;
}

/** A number's change of status. */
export interface Moved {
  readonly from: NumberStatus;
  readonly to: NumberStatus;
}

interface Known extends Standing {
  readonly name: string;
  readonly reason: string | null;
  readonly held: boolean;
}

/**
 * Some causes only undo certain others: only a closed connection reopens without a person, or an account that WhatsApp
 * took off while its phone changed, and only a held number can be released (docs/backup.md).
 */
const ONLY_AFTER: Partial<Record<NumberCause, readonly (string | null)[]>> = {
  reconnected: ['socket_closed', 'account_offboarded'],
  released: ['held'],
};

/**
 * Moves a number as its states allow, and writes the audit log. Returns null if the cause changes nothing: a number
 * that is already down keeps its first reason.
 */
export async function moveNumber(
  tx: Tx,
  numberId: string,
  event: NumberEvent,
): Promise<Moved | null> {
  const { cause, reason = reasonOf(cause), at } = event;
  const { sql, organizationId, now } = tx;
  const number = await first<Known>(
    sql,
    `select id, name, status, status_reason as reason, status_changed_at as "changedAt",
       held_at is not null as held
     from numbers where organization_id = $1 and id = $2 for no key update`,
    [organizationId, numberId],
  );
  const next = number && nextStatus(number.status, cause);
  if (!next || (await isPast(tx, number, next, event))) return null;
  if (ONLY_AFTER[cause]?.includes(number.reason) === false) return null;
  // Whatever gives a held number back, it is not used until it is released.
  const staysHeld = number.held && canSend(next);
  const to = staysHeld ? 'disconnected' : next;
  const why = staysHeld ? 'held' : to === 'connected' ? null : reason;
  // News that is told late is of its own time, or the news after it would be older than its telling, also where the
  // number became slow or quick meanwhile, which did not answer it. But what waits for the number only begins to wait
  // now.
  await sql.rows(
    `update numbers set status = $3, status_reason = $4,
       status_changed_at = case when $7 and not $6 then $8 else greatest(status_changed_at, $8) end,
       down_since = case when $6 then null when $7 then $5 else coalesce(down_since, status_changed_at) end
     where organization_id = $1 and id = $2`,
    [organizationId, numberId, to, why, now, canSend(to), canSend(number.status), at ?? now],
  );
  await audit(tx, {
    action: 'number.status_changed',
    target: { type: 'number', id: numberId, name: number.name },
    changes: [
      { field: 'status', from: number.status, to },
      { field: 'status_reason', from: number.reason, to: why },
    ],
  });
  return { from: number.status, to };
}

const isPast = (
  { sql, organizationId }: Tx,
  number: Standing,
  next: NumberStatus,
  { cause, at }: NumberEvent,
): boolean | Promise<boolean> => {
  if (!at) return false;
  if (canSend(next) || !canSend(number.status)) return hasChanged(number, at);
  return isAnswered(sql, organizationId, number, { cause, at });
};

/** Marks a number as held from `at` on, or with null as released, whatever its status is. */
export const markHeld = (
  { sql, organizationId }: Tx,
  numberId: string,
  at: Date | null,
): Promise<unknown> =>
  sql.rows('update numbers set held_at = $3 where organization_id = $1 and id = $2', [
    organizationId,
    numberId,
    at,
  ]);

/** Whether the move took the number out of sending. */
export const stopped = ({ to }: Moved): boolean => !canSend(to);

/** Whether the move made it able to send again. */
export const isBackInService = ({ from, to }: Moved): boolean => canSend(to) && !canSend(from);

/** What waited for a number that can send goes on: runs of automations, and people's files are asked for at once. */
export async function resumeWaiting(tx: Context, numberId: string): Promise<void> {
  await recordNumberBack(tx, numberId);
  await fetchAgain(tx.sql, tx.organizationId, numberId);
}
