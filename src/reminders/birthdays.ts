import type { ReadContext } from '../context.ts';
import { binding, first } from '../db/sql.ts';
import type { Rules } from '../segments/rules.ts';
import { momentOf, rulesOf, segmentCondition } from '../segments/service.ts';
import { withinTimeLimit } from '../segments/time-limit.ts';
import type { When } from './rules.ts';
import { nextBirthdayRun } from './schedule.ts';

type Asking = Pick<ReadContext, 'sql' | 'organizationId' | 'now'>;

/** The people whose birthdays a reminder covers. */
export interface BirthdayRule extends When {
  readonly segment_id: string | null;
  readonly transactional: boolean;
}

/**
 * When a birthday reminder runs next: on the next day on which one of its recipients has a birthday; null if none
 * has. Throws 422 `segment_too_heavy`.
 */
export async function nextBirthday(ctx: Asking, rule: BirthdayRule): Promise<Date | null> {
  const segment = rule.segment_id === null ? null : await rulesOf(ctx, rule.segment_id);
  const next = await nextBirthdayRun(rule, ctx.now, (monthDay) =>
    firstBirthday(ctx, rule, segment, monthDay),
  );
  return next?.at ?? null;
}

async function firstBirthday(
  ctx: Asking,
  { transactional }: BirthdayRule,
  segment: Rules | null,
  monthDay: number,
): Promise<number | null> {
  const { params, bind } = binding(ctx.organizationId, monthDay);
  const inSegment = segment ? ` and ${segmentCondition(segment, bind, await momentOf(ctx))}` : '';
  const row = await withinTimeLimit(ctx.sql, () =>
    first<{ birth_day: number }>(
      ctx.sql,
      `select c.birth_day from contacts c
       where c.organization_id = $1 and c.birth_day >= $2 and not c.blocked
         ${transactional ? '' : 'and not c.opted_out'}${inSegment}
       order by c.birth_day limit 1`,
      params,
    ),
  );
  return row?.birth_day ?? null;
}
