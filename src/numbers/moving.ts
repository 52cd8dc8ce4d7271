import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { canSend, type NumberStatus } from './rules.ts';
import { type NumberCause, nextStatus } from './states.ts';

type Tx = Pick<Context, 'sql' | 'organizationId' | 'actor' | 'request' | 'now'>;

/** Something that moves a number from one status to another. */
export interface NumberNews {
  readonly cause: NumberCause;
  /** A short code that says more than the cause, such as `whatsapp_190`; the cause when left out. */
  readonly reason?: string;
  /** When it was so, where others tell us of it: older than the last change, it is no news. */
  readonly at?: Date;
}

/** Of a number that is now another status than before. */
export interface Moved {
  readonly from: NumberStatus;
  readonly to: NumberStatus;
}

interface Standing {
  readonly name: string;
  readonly status: NumberStatus;
  readonly reason: string | null;
  readonly changedAt: Date;
}

/**
 * What undoes one thing and no other: only a closed connection comes back without a person, and what is released is
 * what was held (docs/backup.md).
 */
const ONLY_AFTER: Partial<Record<NumberCause, string>> = {
  reconnected: 'socket_closed',
  released: 'held',
};

/** WhatsApp's stamps are whole seconds. */
const STAMP_MS = 1_000;

/**
 * Moves a number as its states allow, and writes the log. Null where the cause changes nothing: a number
 * that is down already keeps its first reason. Call it last, for it holds the workspace's log.
 */
export async function moveNumber(
  tx: Tx,
  numberId: string,
  { cause, reason = cause, at }: NumberNews,
): Promise<Moved | null> {
  const { sql, organizationId, now } = tx;
  const number = await first<Standing>(
    sql,
    `select name, status, status_reason as reason, status_changed_at as "changedAt"
     from numbers where organization_id = $1 and id = $2 for no key update`,
    [organizationId, numberId],
  );
  const to = number && nextStatus(number.status, cause);
  if (!to || (at && at.getTime() + STAMP_MS <= number.changedAt.getTime())) return null;
  const after = ONLY_AFTER[cause];
  if (after && number.reason !== after) return null;
  const why = to === 'connected' ? null : reason;
  await sql.rows(
    `update numbers set status = $3, status_reason = $4, status_changed_at = $5
     where organization_id = $1 and id = $2`,
    [organizationId, numberId, to, why, now],
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

/** Whether the number sends in this state no more than before. */
export const stopped = ({ to }: Moved): boolean => !canSend(to);

/** Whether it sends again. */
export const cameBack = ({ from, to }: Moved): boolean => canSend(to) && !canSend(from);
