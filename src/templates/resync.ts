import type { InWorkspace } from '../context.ts';

/**
 * Has a number's templates read as soon as those of a new number, since they may be read otherwise now: until then
 * WhatsApp alone decides about them. Those of another business account are no longer the number's.
 */
export async function resyncTemplates(
  { sql, organizationId }: InWorkspace,
  numberId: string,
  { otherAccount }: { readonly otherAccount: boolean },
): Promise<void> {
  for (const table of otherAccount ? ['template_syncs', 'templates'] : ['template_syncs'])
    await sql.rows(`delete from ${table} where organization_id = $1 and number_id = $2`, [
      organizationId,
      numberId,
    ]);
}
