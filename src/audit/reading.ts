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

const BY_WHOM = `coalesce(actor ->> 'member_id', actor ->> 'id', actor ->> 'type')`;

/**
 * The workspace's log, newest first. What is rare is looked for in all of it, half a second for each million entries: an
 * index would be dearer, for the log is written with every change and hardly ever narrowed.
 */
export const listAudit = (
  { sql, organizationId }: InWorkspace,
  { before, limit }: AuditPage,
  { by, actions }: AuditFilters = {},
): Promise<AuditRecord[]> =>
  sql.rows(
    `select id, seq, action, actor, target, changes, ip, user_agent as "userAgent", request_id as "requestId",
       created_at as "createdAt", ${BY_WHOM} as "byWhom"
     from audit_entries where organization_id = $1 and seq < $2
       and ($4::text is null or ${BY_WHOM} = $4) and ($5::text[] is null or action = any($5))
     order by seq desc limit $3`,
    [organizationId, before ?? Number.MAX_SAFE_INTEGER, limit, by ?? null, actions ?? null],
    'list-audit',
  );
