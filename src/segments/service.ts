import { signatureOf } from '../access/actor.ts';
import { requireFullVisibility } from '../access/visibility.ts';
import { audit } from '../audit/service.ts';
import type { Context, InWorkspace, ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { AppError, notFound, refuseUsed } from '../errors.ts';
import { guard } from '../http/guard.ts';
import { newId } from '../ids.ts';
import { timeZoneOf } from '../workspaces/service.ts';
import { requireKnownIds } from './known-ids.ts';
import type { Moment } from './moments.ts';
import { presentMatching } from './present.ts';
import { countMatching, sampleMatching, selectSegment } from './queries.ts';
import type { Rules } from './rules.ts';
import { type MatchingView, newSegmentBody } from './schema.ts';
import { withinTimeLimit } from './time-limit.ts';
import { requireRuleScopes, seesInPart } from './visibility.ts';

export { segmentCondition } from './compiling.ts';

type Asking = Pick<ReadContext, 'sql' | 'organizationId' | 'now'>;

/** The moment of evaluation for `segmentCondition`: now. */
export const momentOf = async (ctx: Asking): Promise<Moment> => ({
  now: ctx.now,
  timeZone: await timeZoneOf(ctx),
});

/** The same for what is answered to the caller. */
export const momentFor = async (ctx: ReadContext): Promise<Moment> => ({
  ...(await momentOf(ctx)),
  seenBy: ctx.actor,
});

export interface NewSegment {
  /** 1 to 80 characters. */
  readonly name: string;
  readonly rules: Rules;
}

/** A segment that did not come through the API. Throws 422 `validation` with every problem. */
export const newSegmentOf = (body: unknown): NewSegment => guard(newSegmentBody, body);

/**
 * Creates a segment and counts the contacts that match now; the answer counts by what the caller sees. Throws 422
 * `validation` and `segment_too_heavy`, and 403 for rules that ask about what the token has no scope for.
 */
export const createSegment = (
  ctx: Context,
  { name, rules }: NewSegment,
): Promise<{ id: string; count: number }> =>
  transact(ctx, async (tx) => {
    requireRuleScopes(tx.actor, rules);
    await requireKnownIds(tx, rules);
    const count = await countNow(tx, rules);
    const seen = seesInPart(tx.actor, rules) ? await countSeen(tx, rules) : count;
    await requireKnownIds(tx, rules, { kept: true });
    const id = newId('seg');
    await tx.sql.rows(
      `insert into segments (organization_id, id, name, rules, count, counted_at, created_by, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $6)`,
      [
        tx.organizationId,
        id,
        name,
        JSON.stringify(rules),
        count,
        tx.now,
        JSON.stringify(signatureOf(tx.actor)),
      ],
    );
    await audit(tx, { action: 'segment.created', target: { type: 'segment', id, name } });
    return { id, count: seen };
  });

const SAMPLE = 10;

/** Shows who matches by what the caller sees, without storing anything. Throws as `createSegment`. */
export const previewSegment = (
  ctx: Context,
  rules: Rules,
): Promise<{ count: number; sample: MatchingView[] }> =>
  transact(ctx, async (tx) => {
    requireRuleScopes(tx.actor, rules);
    await requireKnownIds(tx, rules);
    const moment = await momentFor(tx);
    const { count, sample } = await withinTimeLimit(tx.sql, () =>
      sampleMatching(tx, rules, moment, SAMPLE),
    );
    return { count, sample: sample.map(presentMatching) };
  });

/** How many match now. Throws 422 `segment_too_heavy`. */
export const countNow = async (ctx: Asking, rules: Rules): Promise<number> =>
  counted(ctx, rules, await momentOf(ctx));

/** The same by what the caller sees. */
export const countSeen = async (ctx: ReadContext, rules: Rules): Promise<number> =>
  counted(ctx, rules, await momentFor(ctx));

const counted = (ctx: Asking, rules: Rules, moment: Moment): Promise<number> =>
  withinTimeLimit(ctx.sql, () => countMatching(ctx, rules, moment));

/** Refuses while something still to come uses the segment: 409 `in_use`. */
export const deleteSegment = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    // A transaction that starts to use the segment locks this row first, so the reads after this lock see it.
    const locked = await first<{ name: string }>(
      tx.sql,
      'select name from segments where organization_id = $1 and id = $2 for update',
      [tx.organizationId, id],
    );
    const segment = locked && (await selectSegment(tx, id));
    if (!segment) throw notFound('segment');
    refuseUsed(segment.used_by, 'Campaigns, reminders or automations still use this segment.');
    await tx.sql.rows('delete from segments where organization_id = $1 and id = $2', [
      tx.organizationId,
      id,
    ]);
    const target = { type: 'segment', id, name: locked.name };
    await audit(tx, { action: 'segment.deleted', target });
  });

/** The rules of a segment, or null if there is none. */
export const rulesOf = async (
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<Rules | null> => {
  const row = await first<{ rules: Rules }>(
    sql,
    'select rules from segments where organization_id = $1 and id = $2',
    [organizationId, id],
    'segment-rules',
  );
  return row?.rules ?? null;
};

export interface KnownSegment {
  readonly id: string;
  readonly name: string;
  readonly rules: Rules;
}

const UNSEEN =
  'This segment asks about what you do not see. Only somebody who sees the whole workspace may send to it.';

/**
 * The segment that a body names in `field` to send to it, protected from deletion until the transaction ends; 422
 * `unknown_segment` if there is none, 403 `forbidden` if whom it reaches would tell the caller what they do not see.
 */
export async function requireSegment(
  { sql, organizationId, actor }: Pick<ReadContext, 'sql' | 'organizationId' | 'actor'>,
  id: string,
  field: string,
): Promise<KnownSegment> {
  const segment = await first<KnownSegment>(
    sql,
    'select id, name, rules from segments where organization_id = $1 and id = $2 for key share',
    [organizationId, id],
  );
  if (!segment) throw new AppError('unknown_segment', 'There is no such segment.', { [field]: id });
  if (seesInPart(actor, segment.rules)) requireFullVisibility(actor, UNSEEN, { [field]: id });
  return segment;
}
