import type { InWorkspace } from '../context.ts';
import type { AuditEntry } from './chain.ts';

/** An entry as design decisions §19 shows it. */
export interface AuditRecord extends Omit<AuditEntry, 'organizationId' | 'createdAt'> {
  readonly createdAt: Date;
  /** Who is behind it: a person, also behind an app; a key or an automation, by id; or `system`. */
  readonly byWhom: string;
}

export interface AuditFilters {
  /** As `byWhom`. */
  readonly by?: string | undefined;
  readonly actions?: readonly string[] | undefined;
}

interface AuditPage {
  /** The `seq` of the last entry of the page before. */
  readonly before: number | null;
  readonly limit: number;
}

const ENTRIES = `select id, seq, action, actor, target, changes, ip, user_agent as "userAgent", request_id as "requestId",
  created_at as "createdAt", by_whom as "byWhom"
  from audit_entries where organization_id = $1 and seq < $2`;
const NEWEST = 'order by seq desc limit $3';

/** The newest of each action, and of these the newest: they may be far back, behind very many others. */
const OF_ACTIONS = `select e.* from unnest($4::text[]) a (name)
  cross join lateral (${ENTRIES} and action = a.name ${NEWEST}) e order by e.seq desc limit $3`;

/** The workspace's log, newest first. */
export function listAudit(
  { sql, organizationId }: InWorkspace,
  { before, limit }: AuditPage,
  { by, actions }: AuditFilters = {},
): Promise<AuditRecord[]> {
  const page = [organizationId, before ?? Number.MAX_SAFE_INTEGER, limit];
  const ask = (name: string, text: string, ...values: unknown[]): Promise<AuditRecord[]> =>
    sql.rows(text, [...page, ...values], name);
  if (actions && by !== undefined)
    return ask(
      'list-audit-both',
      `${ENTRIES} and by_whom = $4 and action = any($5::text[]) ${NEWEST}`,
      by,
      actions,
    );
  if (by !== undefined) return ask('list-audit-by', `${ENTRIES} and by_whom = $4 ${NEWEST}`, by);
  if (actions) return ask('list-audit-of', OF_ACTIONS, actions);
  return ask('list-audit', `${ENTRIES} ${NEWEST}`);
}
