import { first, type Sql } from '../db/sql.ts';
import { idFloor } from '../ids.ts';

/** Only the audit log keeps when something was done to a number. */
const doneSince =
  (what: string) =>
  async (sql: Sql, organizationId: string, numberId: string, since: Date): Promise<boolean> => {
    const done = await first(
      sql,
      `select 1 from audit_entries where organization_id = $1 and id >= $3 and target ->> 'id' = $2 and (${what})
       limit 1`,
      [organizationId, numberId, idFloor('aud', since)],
    );
    return done !== null;
  };

/** Whether a person has given the number another token since. */
export const hasNewToken = doneSince(
  `action = 'number.connected' and changes @> '[{"field":"access_token"}]'`,
);

/** Whether the number was added since, or can send again since: moving between two statuses that can is no coming back. */
export const hasComeBack = doneSince(
  `action = 'number.added' or action in ('number.connected', 'number.status_changed')
   and changes @> '[{"field":"status","to":"connected"}]'
   and not (changes @> '[{"field":"status","from":"connected"}]' or changes @> '[{"field":"status","from":"degraded"}]')`,
);
