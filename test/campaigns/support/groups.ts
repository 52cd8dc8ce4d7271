import type { Context } from '../../../src/context.ts';
import { transact } from '../../../src/db/transact.ts';
import { newId } from '../../../src/ids.ts';

/** A group that the number is in, or has left. */
export async function aGroupOf(
  ctx: Context,
  numberId: string,
  { name = 'Clientes', left = false }: { name?: string; left?: boolean } = {},
): Promise<{ id: string; providerId: string; conversationId: string }> {
  const id = newId('grp');
  const conversationId = newId('cnv');
  const providerId = `${id.slice(4)}@g.us`;
  await transact(ctx, async ({ sql, organizationId }) => {
    await sql.rows(
      `insert into conversations (organization_id, id, number_id, group_id, opened_at, created_at)
       values ($1, $2, $3, $4, now(), now())`,
      [organizationId, conversationId, numberId, id],
    );
    await sql.rows(
      `insert into groups (organization_id, id, name, number_id, conversation_id, provider_id, left_at, created_at)
       values ($1, $2, $3, $4, $5, $6, case when $7::boolean then now() end, now())`,
      [organizationId, id, name, numberId, conversationId, providerId, left],
    );
  });
  return { id, providerId, conversationId };
}
