import { first, type Sql } from '../db/sql.ts';
import { STAMP_MS } from '../gateway/port.ts';
import { idFloor } from '../ids.ts';
import { canSend, type NumberStatus } from './rules.ts';
import type { NumberCause } from './states.ts';

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
const hasNewToken = doneSince(
  `action = 'number.connected' and changes @> '[{"field":"access_token"}]'`,
);

/** Whether the number was added since, or can send again since: moving between two statuses that can is no coming back. */
const hasComeBack = doneSince(
  `action = 'number.added' or action in ('number.connected', 'number.status_changed')
   and changes @> '[{"field":"status","to":"connected"}]'
   and not (changes @> '[{"field":"status","from":"connected"}]' or changes @> '[{"field":"status","from":"degraded"}]')`,
);

/** A batch that began with a token that is replaced goes on with it to its end. */
const TOKEN_LIVES_ON_MS = 30_000;
/** What may be due to the token that a message went out with. */
const OF_TOKENS: ReadonlySet<NumberCause> = new Set(['token_revoked', 'cannot_continue']);

/** A number as it stands, and since when. */
export interface Standing {
  readonly id: string;
  readonly status: NumberStatus;
  readonly changedAt: Date;
}

/** What would take a number down, and happened at another time than it is told. */
interface Told {
  readonly cause: NumberCause;
  readonly at: Date;
  /** When what it happened to began; `at` if that is unknown. */
  readonly begunAt?: Date | undefined;
}

/** Whether a number has changed since. WhatsApp's times are whole seconds. */
export const hasChanged = ({ changedAt }: Standing, at: Date): boolean =>
  at.getTime() + STAMP_MS <= changedAt.getTime();

/**
 * Whether what would take a number down is past: something else has, it came back, or a person gave it another token,
 * which says nothing about a suspension. A move between two statuses that can send is no answer to it.
 */
export async function isAnswered(
  sql: Sql,
  organizationId: string,
  number: Standing,
  { cause, at, begunAt = at }: Told,
): Promise<boolean> {
  const since = new Date(at.getTime() + STAMP_MS);
  const { id, status } = number;
  if (hasChanged(number, at))
    if (!canSend(status) || (await hasComeBack(sql, organizationId, id, since))) return true;
  if (cause === 'restricted') return false;
  const begun = new Date(begunAt.getTime() - TOKEN_LIVES_ON_MS);
  return hasNewToken(sql, organizationId, id, OF_TOKENS.has(cause) ? begun : since);
}
