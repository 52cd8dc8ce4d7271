import { haltNumber, pauseByItself } from '../../campaigns/states/by-itself.ts';
import type { Context } from '../../context.ts';
import type { StatusChange } from '../../conversations/receiving/statuses.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { haltOf } from '../../gateway/cloud-api/classify.ts';
import { STAMP_MS } from '../../gateway/port.ts';
import { idTime } from '../../ids.ts';
import { isAnswered, type Standing } from '../../numbers/stale-causes.ts';
import { HALTING, type NumberCause } from '../../numbers/states.ts';
import { asWhatsApp, type InboundParts } from '../as-whatsapp.ts';
import type { NumberOwner } from '../queries.ts';

/** WhatsApp repeats webhooks for days. */
const RECENT_FOR_MS = 10 * 60_000;

/** Whether what happened then still calls for something. */
export const isRecent = (at: Date, now: Date): boolean =>
  now.getTime() - at.getTime() <= RECENT_FOR_MS;

/**
 * WhatsApp may accept a message and report only later that the sender must stop. What stops a campaign, or its whole
 * number, in the answer to a send does the same in a report (design decisions §22), unless it has been resumed or
 * connected since.
 */
export async function stopWhatFailed(
  parts: InboundParts,
  { organizationId, numberId }: NumberOwner,
  changes: readonly StatusChange[],
): Promise<void> {
  const ctx = asWhatsApp(parts, organizationId);
  const recent = changes.filter(({ at }) => isRecent(at, ctx.now));
  const stopped = new Set<string>();
  for (const change of recent) {
    const halt = haltBy(change, numberId);
    if (!halt || stopped.has(halt.place)) continue;
    const holds = async (tx: Context): Promise<boolean> => !(await isPast(tx, halt, change));
    // Asked before the locks of a halt as well: what is past takes none.
    if (!(await transact(ctx, holds))) continue;
    const { cause, place, code } = halt;
    stopped.add(place);
    if (cause === 'spam_limit') await pauseByItself(ctx, place, cause, holds);
    else await haltNumber(ctx, place, cause, code, holds);
  }
}

/** What a report stops: a campaign for `spam_limit`, otherwise a number. */
interface Halt {
  readonly cause: NonNullable<ReturnType<typeof haltOf>>;
  readonly place: string;
  readonly code: number;
}

function haltBy({ campaignId, code }: StatusChange, numberId: string): Halt | null {
  const cause = code === null ? null : haltOf(code);
  const place = cause === 'spam_limit' ? campaignId : numberId;
  return code !== null && cause && place ? { cause, place, code } : null;
}

const RUNNING_SINCE =
  'select running_since as since from campaigns where organization_id = $1 and id = $2';
// The message may have waited in the queue for long, and its id is of then.
const STANDING = `
select n.id, n.status, n.status_changed_at as "changedAt", m.sent_at as "sentAt"
from numbers n left join messages m on m.organization_id = $1 and m.id = $3
where n.organization_id = $1 and n.id = $2`;

/**
 * Whether the campaign or number has changed since: a person has set it going again, or something else has stopped it.
 * Or its message may have been sent with a token that a person has replaced: that says nothing about the new one, except
 * for a suspension.
 */
const isPast = (ctx: Context, { cause, place }: Halt, change: StatusChange): Promise<boolean> =>
  cause === 'spam_limit'
    ? runsAnew(ctx, place, change)
    : isUpAnew(ctx, place, HALTING[cause], change);

async function runsAnew(
  { sql, organizationId }: Context,
  campaignId: string,
  { at }: StatusChange,
): Promise<boolean> {
  const row = await first<{ since: Date | null }>(sql, RUNNING_SINCE, [organizationId, campaignId]);
  return row?.since ? at.getTime() + STAMP_MS <= row.since.getTime() : false;
}

async function isUpAnew(
  { sql, organizationId }: Context,
  numberId: string,
  cause: NumberCause,
  { at, messageId }: StatusChange,
): Promise<boolean> {
  type Row = Standing & { readonly sentAt: Date | null };
  const number = await first<Row>(sql, STANDING, [organizationId, numberId, messageId]);
  const begunAt = number?.sentAt ?? new Date(idTime(messageId));
  return number !== null && isAnswered(sql, organizationId, number, { cause, at, begunAt });
}
