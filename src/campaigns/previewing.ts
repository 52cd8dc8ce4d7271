import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { invalidState, notFound } from '../errors.ts';
import type { Assessment } from './audience.ts';
import { eligibleOf, estimateAudience } from './estimating.ts';
import { finishOf, paceOf, presentExcluded } from './present.ts';
import { findCampaign } from './queries.ts';
import type { PreviewView } from './schema.ts';

/** Shown of those who get it, and of those who do not. */
const SHOWN = 10;
const NOT_BEGUN = ['draft', 'scheduled'] as const;

/**
 * What would happen if it were sent: who gets it and who does not, the first texts, and when the last one
 * leaves. People are judged and texts rendered by the functions of the real run, on its clock of slots.
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
    const timed = { status: 'scheduled' as const, send_at: startsAt };
    return {
      audience: { total: estimate.total, eligible, excluded: presentExcluded(estimate) },
      recipients: estimate.reached.flatMap(recipient),
      left_out: estimate.left.flatMap(leftOut),
      effective_pace: pace,
      starts_at: startsAt.toISOString(),
      estimated_finish_at: finishOf(timed, pace, eligible, tx.now)?.toISOString() ?? null,
    };
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
