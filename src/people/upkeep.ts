import { asSystem, type Database } from '../db/database.ts';
import { LONG_ENOUGH_AGO, removePast } from '../db/removing.ts';
import { IDLE_MS } from './sessions.ts';

/**
 * Deletes sessions that ended, mailed links, invitations and passkey challenges that expired unused, counts of calls of
 * whoever makes none any more, and people whom no workspace has any more, once no browser of theirs is signed in. None of
 * them grants access. Safe to repeat.
 *
 * @returns how many rows were deleted, and whether there are more
 */
export async function forgetPastSignIns(
  database: Pick<Database, 'system'>,
): Promise<{ removed: number; more: boolean }> {
  const { counts, more } = await asSystem(database, (sql) =>
    removePast(sql, {
      sessions: {
        table: 'person_sessions',
        past: `expires_at < ${LONG_ENOUGH_AGO} or last_seen_at < ${LONG_ENOUGH_AGO} - interval '${IDLE_MS} milliseconds'`,
      },
      resets: { table: 'password_resets', past: `expires_at < ${LONG_ENOUGH_AGO}` },
      addresses: { table: 'email_changes', past: `expires_at < ${LONG_ENOUGH_AGO}` },
      invitations: { table: 'invitations', past: `expires_at < ${LONG_ENOUGH_AGO}` },
      challenges: { table: 'passkey_challenges', past: `expires_at < ${LONG_ENOUGH_AGO}` },
      // Each session of the console counts its calls; a window is a minute.
      counts: { table: 'rate_windows', past: `second < extract(epoch from ${LONG_ENOUGH_AGO})` },
      // Whoever invites one just now writes the row (`wms.person_of`), which is another one for this statement then.
      people: {
        table: 'people',
        past: `not exists (select from members m where m.user_id = people.id)
          and not exists (select from person_sessions s where s.user_id = people.id)`,
      },
    }),
  );
  const removed = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { removed, more };
}
