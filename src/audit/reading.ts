import type { InWorkspace } from '../context.ts';
import type { AuditEntry } from './chain.ts';

/** An entry as design decisions §19 shows it. */
export interface AuditRecord extends Omit<AuditEntry, 'organizationId' | 'createdAt'> {
  readonly createdAt: Date;
}

/**
 * The workspace's log, newest first.
 *
 * @param before the `seq` of the last entry of the page before
 */
export const listAudit = (
  { sql, organizationId }: InWorkspace,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<AuditRecord[]> =>
  sql.rows(
    `select id, seq, action, actor, target, changes, ip, user_agent as "userAgent", request_id as "requestId", created_at as "createdAt"
     from audit_entries where organization_id = $1 and ($2::bigint is null or seq < $2)
     order by seq desc limit $3`,
    [organizationId, before, limit],
    'list-audit',
  );
