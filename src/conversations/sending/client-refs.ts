import type { Context } from '../../context.ts';
import { advisoryLock } from '../../db/advisory-locks.ts';
import { first, type Sql } from '../../db/sql.ts';
import { DAY_MS } from '../../durations.ts';
import { AppError } from '../../errors.ts';
import { presentMessage } from '../present.ts';
import { messageById } from '../queries.ts';
import type { MessageView } from '../schema.ts';

/** How long a client's reference stands for one message (design decisions §1). */
const VALID_MS = 30 * DAY_MS;

/**
 * The message with this reference, or null. Holds a lock on the reference until the transaction ends, so that two
 * concurrent calls cannot both find none.
 */
export async function messageOfClientRef(
  tx: Context,
  clientRef: string | undefined,
): Promise<MessageView | null> {
  if (clientRef === undefined) return null;
  const space = JSON.stringify([tx.organizationId, clientRef]);
  await advisoryLock(tx.sql, 'client_ref', space);
  const known = await first<{ id: string }>(
    tx.sql,
    `select message_id as id from client_refs
     where organization_id = $1 and client_ref = $2 and created_at > $3`,
    [tx.organizationId, clientRef, new Date(tx.now.getTime() - VALID_MS)],
  );
  if (!known) return null;
  const row = await messageById(tx, known.id);
  if (row) return presentMessage(row);
  throw new AppError('duplicate', 'Another message has this client_ref.');
}

/** An expired reference stands for the new message from now on. */
export async function keepClientRef(
  { sql, organizationId, now }: Context,
  clientRef: string | undefined,
  messageId: string,
): Promise<void> {
  if (clientRef === undefined) return;
  await sql.rows(
    `insert into client_refs (organization_id, client_ref, message_id, created_at) values ($1, $2, $3, $4)
     on conflict (organization_id, client_ref) do update set
       message_id = excluded.message_id, created_at = excluded.created_at`,
    [organizationId, clientRef, messageId, now],
  );
}

/**
 * Deletes references whose 30 days are over: those of a minute, so that no statement has too many however long nobody
 * did.
 *
 * @returns whether there may be more
 */
export async function deleteOldRefs(system: Sql): Promise<boolean> {
  const gone = await system.rows(
    `delete from client_refs where created_at < least(now() - $1 * interval '1 millisecond',
       (select min(created_at) from client_refs) + interval '1 minute') returning created_at`,
    [VALID_MS],
    'old-client-refs',
  );
  return gone.length > 0;
}
