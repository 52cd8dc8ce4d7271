import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { lockFound } from '../person.ts';
import { optOut } from './opting-out.ts';

interface Refused {
  readonly contactId: string;
  readonly messageId: string;
  /** When WhatsApp refused it; now if left out. */
  readonly at?: Date | undefined;
}

/** Opts out the contacts for whom WhatsApp refused a message for that reason, or whom they were merged into since. */
export const optOutRefused = (ctx: Context, refused: readonly Refused[]): Promise<void> =>
  transact(ctx, async (tx) => {
    await lockFound(tx, async () => {
      const people = await nowOf(tx, refused);
      return [...new Set(people.map(({ contactId }) => contactId))];
    });
    for (const { contactId, messageId, at } of await nowOf(tx, refused))
      await optOut(tx, contactId, { source: 'whatsapp', messageId, at });
  });

/** The refusals with the contacts that there are now, in the order of ids. */
const nowOf = (
  { sql, organizationId, now }: Context,
  refused: readonly Refused[],
): Promise<(Refused & { readonly at: Date })[]> =>
  sql.rows(
    `select c.id as "contactId", r.message_id as "messageId", r.at
     from unnest($2::text[], $3::text[], $4::timestamptz[]) r (id, message_id, at)
     left join merged_contacts m on m.organization_id = $1 and m.id = r.id
     join contacts c on c.organization_id = $1 and c.id = case when m.contact_id is null then r.id else m.contact_id end
     order by c.id, r.message_id`,
    [
      organizationId,
      refused.map(({ contactId }) => contactId),
      refused.map(({ messageId }) => messageId),
      refused.map(({ at }) => at ?? now),
    ],
  );
