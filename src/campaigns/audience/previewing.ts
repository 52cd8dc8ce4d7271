import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { invalidState, notFound } from '../../errors.ts';
import { canSend, type NumberStatus } from '../../numbers/rules.ts';
import { type ForecastInput, finishOf, forecast } from '../forecast.ts';
import type { Timetable } from '../limits/timetable.ts';
import { paceOf, presentExcluded } from '../present.ts';
import { findCampaign } from '../queries.ts';
import { exceedsQuota } from '../quota.ts';
import type { PreviewView } from '../schema.ts';
import type { Assessment } from './candidates.ts';
import { eligibleOf, estimateAudience } from './estimating.ts';

/** How many are shown of those who get it, and of those who do not. */
const SHOWN = 10;
/** The most spans without a wait in between that are shown. */
const SPANS = 100;
const NOT_BEGUN = ['draft', 'scheduled'] as const;

/**
 * What would happen if the campaign were sent: who gets it and who does not, the first texts, and when the last one
 * leaves. Uses the same functions as a real run to select people, render texts and time the sends.
 */
export const previewCampaign = (ctx: Context, id: string): Promise<PreviewView> =>
  transact(ctx, async (tx) => {
    const row = await findCampaign(tx, id);
    if (!row) throw notFound('campaign');
    if (row.status !== 'draft' && row.status !== 'scheduled')
      throw invalidState(row.status, NOT_BEGUN);
    const estimate = await transact(tx, (inner) => estimateAudience(inner, row, SHOWN));
    const eligible = eligibleOf(estimate);
    const startsAt = row.send_at && row.send_at > tx.now ? row.send_at : tx.now;
    const left = { count: eligible, newPeople: estimate.newPeople };
    return {
      audience: { total: estimate.total, eligible, excluded: presentExcluded(estimate) },
      recipients: estimate.reached.flatMap(recipient),
      left_out: estimate.left.flatMap(leftOut),
      effective_pace: paceOf(row),
      starts_at: startsAt.toISOString(),
      ...(await courseOf(tx, { row, left, startsAt })),
    };
  });

type Course = Pick<PreviewView, 'estimated_finish_at' | 'timetable' | 'pauses'>;

async function courseOf(tx: Context, input: ForecastInput): Promise<Course> {
  const { row, left, startsAt } = input;
  if (await exceedsQuota(tx, { campaign: row, eligible: left.count, startsAt }))
    return pausedAtOnce('quota', startsAt, left.count);
  // By a later start the number may be back.
  if (left.count > 0 && startsAt <= tx.now && !(await isConnected(tx, row.number_id)))
    return pausedAtOnce('number_unavailable', startsAt, left.count);
  const [timetable] = await forecast(tx, [input]);
  if (!timetable) throw new Error('Every campaign has a timetable.');
  const end = finishOf(timetable, paceOf(row));
  return { estimated_finish_at: end?.toISOString() ?? null, ...presentTimetable(timetable) };
}

async function isConnected(
  { sql, organizationId }: Context,
  numberId: string | null,
): Promise<boolean> {
  const number = await first<{ status: NumberStatus }>(
    sql,
    'select status from numbers where organization_id = $1 and id = $2',
    [organizationId, numberId],
  );
  return number !== null && canSend(number.status);
}

const pausedAtOnce = (reason: 'number_unavailable' | 'quota', at: Date, left: number): Course => ({
  estimated_finish_at: null,
  timetable: [],
  pauses: { reason, at: at.toISOString(), left },
});

const presentTimetable = ({ spans, pausedBy }: Timetable) => ({
  timetable: spans.slice(0, SPANS).map(({ from, to, messages, after }) => ({
    from: from.toISOString(),
    to: to.toISOString(),
    messages,
    after,
  })),
  pauses: pausedBy && {
    reason: 'daily_limit' as const,
    at: pausedBy.at.toISOString(),
    left: pausedBy.left,
  },
});

const whom = ({ contactId, groupId, name, phone }: Assessment) => ({
  contact_id: contactId,
  group_id: groupId,
  name,
  phone,
});

const recipient = (found: Assessment) =>
  found.excluded === null ? [{ ...whom(found), text: found.text }] : [];

const leftOut = (found: Assessment) =>
  found.excluded === null ? [] : [{ ...whom(found), reason: found.excluded }];
