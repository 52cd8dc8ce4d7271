import { audit } from '../../audit/service.ts';
import { listRecipients, viewCampaign } from '../../campaigns/reading.ts';
import { csvHead, csvLine } from '../../csv.ts';
import type { PageOf, Position } from '../../http/route.ts';
import { type ConsolePage, idOf, type PageFile } from '../page.ts';

const COLUMNS = [
  'recipient_id',
  'contact_id',
  'group_id',
  'phone',
  'status',
  'reason',
  'settled_at',
];
type Recipient = Awaited<ReturnType<typeof listRecipients>>['data'][number];

/** Recipients read in one short transaction. */
const AT_ONCE = 1_000;

/** The recipients and their outcomes as a file, with the column names of the API: everybody's phone at once, so it is logged. */
export const recipientsFile: ConsolePage = {
  path: '/campaigns/:id/recipients.csv',
  id: 'cmp',
  permission: 'contacts.export',
  view: async ({ ctx, params }): Promise<PageFile> => {
    const id = idOf({ params });
    const { name } = await viewCampaign(ctx, id);
    return {
      name: `${id}.csv`,
      pieces: async function* (read) {
        const target = { type: 'campaign', id, name };
        await read((sql) => audit({ ...ctx, sql }, { action: 'campaign.exported', target }));
        yield csvHead(COLUMNS);
        let after: Position | null = null;
        do {
          const page = { limit: AT_ONCE, after };
          const filter = { campaignId: id, status: null };
          const found: PageOf<Recipient> = await read((sql) =>
            listRecipients({ ...ctx, sql }, filter, page),
          );
          yield found.data
            .map((one) =>
              csvLine([
                one.id,
                one.contact_id,
                one.group_id,
                one.phone,
                one.status,
                one.reason,
                one.settled_at,
              ]),
            )
            .join('');
          after = found.next;
        } while (after);
      },
    };
  },
};
