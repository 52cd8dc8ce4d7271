import type { Context } from '../../context.ts';
import { transactAgain } from '../../db/transact.ts';
import { lockFound } from '../person.ts';
import { optOut } from './opting-out.ts';

interface Refused {
  readonly contactId: string;
  readonly messageId: string;
}

/** Opts out the contacts for whom WhatsApp refused a message for that reason, or whom they were merged into since. */
export const optOutRefused = (ctx: Context, refused: readonly Refused[]): Promise<void> =>
  transactAgain(ctx, async (tx) => {
    await lockFound(tx, async () => {
      const people = await nowOf(tx, refused);
      return [...new Set(people.map(({ contactId }) => contactId))];
    });
    for (const { contactId, messageId } of await nowOf(tx, refused))
      await optOut(tx, contactId, { source: 'whatsapp', messageId });
  });

/** The refusals with the contacts that there are now, in the order of ids. */
const nowOf = ({ sql, organizationId }: Context, refused: readonly Refused[]): Promise<Refused[]> =>
  sql.rows(
    `select c.id as "contactId", r.message_id as "messageId" from unnest($2::text[], $3::text[]) r (id, message_id)
     left join merged_contacts m on m.organization_id = $1 and m.id = r.id
     join contacts c on c.organization_id = $1 and c.id = coalesce(m.contact_id, r.id) order by c.id`,
    [
      organizationId,
      refused.map(({ contactId }) => contactId),
      refused.map(({ messageId }) => messageId),
    ],
  );
