import type { InWorkspace } from '../../context.ts';
import { first } from '../../db/sql.ts';

/**
 * Enough for "the first message was sent": a workspace that began by receiving thousands has sent one among the
 * newest.
 */
const LOOKED_AT = 200;

const SENT = `
  select exists (
    select from (select direction from messages where organization_id = $1 order by id limit ${LOOKED_AT}) m
    where m.direction = 'outbound')
  or exists (
    select from (select direction from messages where organization_id = $1 order by id desc limit ${LOOKED_AT}) m
    where m.direction = 'outbound') as sent`;

/** Whether the workspace has sent a message, judging by its first and its newest ones. */
export async function hasSent({ sql, organizationId }: InWorkspace): Promise<boolean> {
  const row = await first<{ sent: boolean }>(sql, SENT, [organizationId], 'has-sent');
  return row?.sent ?? false;
}
