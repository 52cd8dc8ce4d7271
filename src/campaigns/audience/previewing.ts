import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { invalidState, notFound } from '../../errors.ts';
import { finishOf, foresee } from '../foreseeing.ts';
import type { Timetable } from '../limits/timetable.ts';
import { paceOf, presentExcluded } from '../present.ts';
import { findCampaign } from '../queries.ts';
import type { PreviewView } from '../schema.ts';
import { eligibleOf, estimateAudience } from './estimating.ts';
import type { Assessment } from './people.ts';

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
    const pace = paceOf(row);
    const startsAt = row.send_at && row.send_at > tx.now ? row.send_at : tx.now;
    const left = { count: eligible, newPeople: estimate.newPeople };
    const [timetable] = await foresee(tx, [{ row, left, startsAt }]);
    if (!timetable) throw new Error('Every campaign has a timetable.');
    return {
      audience: { total: estimate.total, eligible, excluded: presentExcluded(estimate) },
      recipients: estimate.reached.flatMap(recipient),
      left_out: estimate.left.flatMap(leftOut),
      effective_pace: pace,
      starts_at: startsAt.toISOString(),
      estimated_finish_at: finishOf(timetable, pace)?.toISOString() ?? null,
      ...presentTimetable(timetable),
    };
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
