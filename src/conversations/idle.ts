import { system } from '../access/actor.ts';
import type { Context } from '../context.ts';
import type { ContextFor } from '../db/contexts.ts';
import type { Database } from '../db/database.ts';
import type { Sweep } from '../db/sweeping.ts';
import { transact } from '../db/transact.ts';
import { workspacesAfter } from '../db/workspaces.ts';
import { end } from './closing.ts';
import { lockConversation } from './queries.ts';

const HAVING = { table: 'workspaces', where: 'idle_close_hours is not null' };
/** A small page, because each conversation stays locked until the commit. */
const PAGE = 20;

/**
 * Closes conversations that have had no message for the hours set by their workspace, one page per transaction
 * (design decisions §13). A snoozed conversation is left alone until its snooze ends.
 */
export const idleClosing = (database: Pick<Database, 'system'>, contextFor: ContextFor): Sweep => ({
  page: (after) => workspacesAfter(database, after, HAVING),
  tend: (organizationId) => transact(contextFor(organizationId, system('idle closing')), closePage),
});

const IDLE = `select c.id from conversations c
  where c.organization_id = $1 and c.status = 'open'
    and greatest(c.last_message_at, c.opened_at) <= $2::timestamptz
      - (select make_interval(hours => w.idle_close_hours) from workspaces w where w.organization_id = $1)
    and (c.snoozed_until is null or c.snoozed_until <= $2)
  order by greatest(c.last_message_at, c.opened_at), c.id limit ${PAGE} for update of c skip locked`;

async function closePage(tx: Context): Promise<number> {
  const idle = await tx.sql.rows<{ id: string }>(IDLE, [tx.organizationId, tx.now]);
  for (const { id } of idle) {
    const row = await lockConversation(tx, id);
    if (row) await end(tx, row);
  }
  return idle.length;
}
