import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { validation } from '../errors.ts';
import type { Campaign } from './entities.ts';
import type { RetriedStatus } from './rules.ts';
import { createCampaign, lockCampaign } from './service.ts';

interface Lost {
  readonly contact_id: string | null;
  readonly group_id: string | null;
}

/** A new draft to those whom the campaign did not reach; the old one and its results stay as they are. */
export const retryCampaign = (
  ctx: Context,
  id: string,
  statuses: readonly RetriedStatus[],
): Promise<Campaign> =>
  transact(ctx, async (tx) => {
    const campaign = await lockCampaign(tx, id, 'retry');
    const lost = await tx.sql.rows<Lost>(
      `select r.contact_id, r.group_id from campaign_recipients r
       left join contacts c on c.organization_id = $1 and c.id = r.contact_id
       left join groups g on g.organization_id = $1 and g.id = r.group_id and g.number_id = $4
       where r.organization_id = $1 and r.campaign_id = $2 and r.status = any($3::text[])
         and (c.id is not null or g.id is not null)
         and not exists (select from campaign_recipients o
           where o.organization_id = $1 and o.campaign_id = $2 and o.contact_id = r.contact_id
             and o.status in ('pending', 'sending', 'sent', 'delivered', 'read'))
       order by r.id`,
      [tx.organizationId, id, statuses, campaign.numberId],
    );
    if (lost.length === 0) {
      const message = 'Nobody of the campaign is in one of these statuses.';
      throw validation([{ path: 'statuses', rule: 'no_recipients', message }]);
    }
    const toGroups = campaign.target === 'groups';
    return createCampaign(
      tx,
      {
        name: nextName(campaign.name),
        number_id: campaign.numberId ?? '',
        target: toGroups ? 'groups' : 'contacts',
        segment_id: null,
        // Two who were merged since are one person.
        contact_ids: [...new Set(lost.flatMap(({ contact_id }) => contact_id ?? []))],
        group_ids: lost.flatMap(({ group_id }) => group_id ?? []),
        text: campaign.text,
        when: null,
        pace: campaign.pace ?? null,
      },
      { retryOf: id },
    );
  });

const MAX_NAME = 80;

/** `Aviso`, `Aviso (2)`, `Aviso (3)`. */
function nextName(name: string): string {
  const [, stem = name, count = '1'] = /^(.*) \((\d{1,3})\)$/s.exec(name) ?? [];
  const suffix = ` (${Number(count) + 1})`;
  return [...stem].slice(0, MAX_NAME - suffix.length).join('') + suffix;
}
