import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';

/** Ends what other features keep for a group. */
export type GroupLeftHook = (tx: Context, gone: { readonly groupId: string }) => Promise<void>;

interface LeftGroup {
  readonly id: string;
  readonly name: string;
}

/**
 * WhatsApp refused messages because it does not know their group, or we are not in it: from now on nothing is sent
 * there. A later message from the group undoes this. Messages to people have no effect.
 */
export const groupsRefused = (
  ctx: Context,
  messageIds: readonly string[],
  hook: GroupLeftHook,
): Promise<void> =>
  transact(ctx, async (tx) => {
    const left = await tx.sql.rows<LeftGroup>(
      `with gone as (
         select g.organization_id, g.id from groups g
         where g.organization_id = $1 and g.left_at is null and g.conversation_id in (
           select m.conversation_id from messages m where m.organization_id = $1 and m.id = any($2::text[]))
         order by g.id for update)
       update groups g set left_at = $3 from gone
       where g.organization_id = $1 and g.id = gone.id returning g.id, g.name`,
      [tx.organizationId, messageIds, tx.now],
    );
    await tellLeft(tx, left, hook);
  });

/** WhatsApp reports that a group was deleted. Groups that we had left, or never knew, are ignored. */
export const groupDeleted = (
  ctx: Context,
  { numberId, providerId }: { readonly numberId: string; readonly providerId: string },
  hook: GroupLeftHook,
): Promise<void> =>
  transact(ctx, async (tx) => {
    const left = await tx.sql.rows<LeftGroup>(
      `update groups set left_at = $4
       where organization_id = $1 and number_id = $2 and provider_id = $3 and left_at is null
       returning id, name`,
      [tx.organizationId, numberId, providerId, tx.now],
    );
    await tellLeft(tx, left, hook);
  });

async function tellLeft(
  tx: Context,
  left: readonly LeftGroup[],
  hook: GroupLeftHook,
): Promise<void> {
  for (const { id, name } of left) {
    await audit(tx, { action: 'group.left', target: { type: 'group', id, name } });
    await hook(tx, { groupId: id });
  }
}
