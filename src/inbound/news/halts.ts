import { haltNumber, pauseByItself } from '../../campaigns/states/by-itself.ts';
import type { Context } from '../../context.ts';
import type { StatusChange } from '../../conversations/receiving/statuses.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { haltOf } from '../../gateway/cloud-api/classify.ts';
import { STAMP_MS } from '../../gateway/port.ts';
import { idTime } from '../../ids.ts';
import { canSend, type NumberStatus } from '../../numbers/rules.ts';
import { hasComeBack, hasNewToken } from '../../numbers/since.ts';
import { asWhatsApp, type InboundParts } from '../as-whatsapp.ts';
import type { NumberOwner } from '../queries.ts';

/** WhatsApp repeats webhooks for days. */
const NEWS_FOR_MS = 10 * 60_000;

/** Whether what happened then still calls for something. */
export const isNews = (at: Date, now: Date): boolean => now.getTime() - at.getTime() <= NEWS_FOR_MS;

/**
 * WhatsApp may accept a message and report only later that the sender must stop. What stops a campaign, or its whole
 * number, in the answer to a send does the same in a report (design decisions §22), unless it has been resumed or
 * connected since.
 */
export async function stopWhatFailed(
  parts: InboundParts,
  { organizationId, numberId }: Pick<NumberOwner, 'organizationId' | 'numberId'>,
  changes: readonly StatusChange[],
): Promise<void> {
  const ctx = asWhatsApp(parts, organizationId);
  const recent = changes.filter(({ at }) => isNews(at, ctx.now));
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
const CHANGED_AT =
  'select status, status_changed_at as since from numbers where organization_id = $1 and id = $2';
/** It may have waited in the queue for long, and its id is of then. */
const SENT_AT = 'select sent_at as since from messages where organization_id = $1 and id = $2';

/** A batch that began with a token that is replaced goes on with it to its end. */
const TOKEN_LIVES_ON_MS = 30_000;

/**
 * Whether the campaign or number has changed since: a person has set it going again, or something else has stopped it.
 * Or its message may have been sent with a token that a person has replaced: that says nothing about the new one, except
 * for a suspension.
 */
const isPast = (ctx: Context, halt: Halt, change: StatusChange): Promise<boolean> =>
  halt.cause === 'spam_limit' ? runsAnew(ctx, halt, change) : isUpAnew(ctx, halt, change);

async function runsAnew(
  { sql, organizationId }: Context,
  { place }: Halt,
  { at }: StatusChange,
): Promise<boolean> {
  const row = await first<{ since: Date | null }>(sql, RUNNING_SINCE, [organizationId, place]);
  return row?.since ? at.getTime() + STAMP_MS <= row.since.getTime() : false;
}

async function isUpAnew(
  { sql, organizationId }: Context,
  { cause, place }: Halt,
  { at, messageId }: StatusChange,
): Promise<boolean> {
  const since = new Date(at.getTime() + STAMP_MS);
  type Standing = { status: NumberStatus; since: Date };
  const number = await first<Standing>(sql, CHANGED_AT, [organizationId, place]);
  if (number && since <= number.since) {
    // Between two statuses that can send it only became slow or quick again.
    const isDown = !canSend(number.status);
    if (isDown || (await hasComeBack(sql, organizationId, place, since))) return true;
  }
  if (cause === 'suspended') return false;
  const sent = await first<{ since: Date | null }>(sql, SENT_AT, [organizationId, messageId]);
  const begun = sent?.since?.getTime() ?? idTime(messageId);
  return hasNewToken(sql, organizationId, place, new Date(begun - TOKEN_LIVES_ON_MS));
}
