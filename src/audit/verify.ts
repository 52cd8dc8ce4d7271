import type { InWorkspace } from '../context.ts';
import { type Database, inWorkspace } from '../db/database.ts';
import { first } from '../db/sql.ts';
import { type AuditEntry, linkTo, NO_ENTRIES } from './chain.ts';

/** How far the log can be trusted: `brokenAt` is the first entry that does not fit, null if all do. */
export interface ChainReport {
  readonly entries: number;
  readonly brokenAt: number | null;
}

type StoredEntry = AuditEntry & { readonly hash: Buffer };
type Link = Pick<StoredEntry, 'seq' | 'hash'>;

const PAGE = 1_000;

/**
 * Verifies a log that others go on writing: its entries and its head as of one moment, since a newer head would look like
 * a lost entry.
 */
export const verifyLog = (
  database: Pick<Database, 'app'>,
  organizationId: string,
): Promise<ChainReport> =>
  inWorkspace(
    database,
    organizationId,
    (sql) => verifyChain({ sql, organizationId }),
    '; set transaction isolation level repeatable read',
  );

/** Verifies the whole chain of the workspace to which `ctx.sql` is bound. */
export async function verifyChain(ctx: InWorkspace): Promise<ChainReport> {
  let link: Link = NO_ENTRIES;
  let page: StoredEntry[];
  do {
    page = await entriesAfter(ctx, link.seq);
    for (const entry of page) {
      if (!fits(link, entry)) return { entries: link.seq, brokenAt: link.seq + 1 };
      link = entry;
    }
  } while (page.length === PAGE);
  // If entries at the end were removed, the head points past the last one.
  const whole = sameLink(link, (await head(ctx)) ?? NO_ENTRIES);
  return { entries: link.seq, brokenAt: whole ? null : link.seq + 1 };
}

const fits = (previous: Link, { hash, ...entry }: StoredEntry): boolean =>
  entry.seq === previous.seq + 1 && linkTo(previous.hash, entry).equals(hash);

const sameLink = (a: Link, b: Link): boolean => a.seq === b.seq && a.hash.equals(b.hash);

const head = ({ sql, organizationId }: InWorkspace): Promise<Link | null> =>
  first<Link>(sql, 'select seq, hash from audit_heads where organization_id = $1', [
    organizationId,
  ]);

async function entriesAfter(
  { sql, organizationId }: InWorkspace,
  seq: number,
): Promise<StoredEntry[]> {
  type Row = Omit<StoredEntry, 'createdAt'> & { readonly createdAt: Date };
  const rows = await sql.rows<Row>(
    `select seq, id, organization_id as "organizationId", action, actor, target, changes, ip,
       user_agent as "userAgent", request_id as "requestId", created_at as "createdAt", hash
     from audit_entries where organization_id = $1 and seq > $2 order by seq limit ${PAGE}`,
    [organizationId, seq],
  );
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
}
