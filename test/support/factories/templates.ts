import type { Context } from '../../../src/context.ts';
import { transact } from '../../../src/db/transact.ts';

interface Wishes {
  readonly name?: string;
  readonly language?: string;
  readonly text?: string;
}

/** An approved template of the number, as if it had just been read from WhatsApp. */
export const aTemplate = (
  ctx: Context,
  numberId: string,
  {
    name = 'pedido_pronto',
    language = 'pt_BR',
    text = 'Olá {{1}}, seu pedido {{2}} está pronto.',
  }: Wishes = {},
): Promise<void> =>
  transact(ctx, async ({ sql, organizationId }) => {
    await sql.rows(
      `insert into template_syncs (organization_id, number_id, due_at, synced_at)
       values ($1, $2, now() + interval '10 minutes', now()) on conflict do nothing`,
      [organizationId, numberId],
    );
    await sql.rows(
      `insert into templates (organization_id, number_id, name, language, category, status, components, synced_at)
       values ($1, $2, $3, $4, 'UTILITY', 'APPROVED', $5, now())`,
      [organizationId, numberId, name, language, JSON.stringify([{ type: 'BODY', text }])],
    );
  });
