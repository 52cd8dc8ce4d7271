import type { Actor, MemberActor } from '../access/actor.ts';
import type { Context, Late, ReadContext } from '../context.ts';
import { first, type Sql } from '../db/sql.ts';
import { newId } from '../ids.ts';
import { type AuditActor, type AuditEntry, type AuditTarget, linkTo, NO_ENTRIES } from './chain.ts';
import { type Change, withoutSecrets } from './rules.ts';

/** What happened: `<domain>.<verb>`, such as `campaign.sent`. */
export interface Happening {
  readonly action: `${string}.${string}`;
  readonly target: AuditTarget;
  readonly changes?: readonly Change[];
}

/** The part of an actor that an entry shows. */
type Doer =
  | Exclude<Actor, MemberActor>
  | (Pick<MemberActor, 'type' | 'id' | 'name'> & {
      readonly app: Pick<NonNullable<MemberActor['app']>, 'id' | 'name'> | null;
    });

interface AuditContext
  extends Pick<ReadContext, 'sql' | 'organizationId' | 'request' | 'now'>,
    Pick<Context, 'beforeCommit'> {
  readonly actor: Doer;
}

/**
 * Writes an entry in the same transaction as the change (design decisions §19). It locks the workspace's log until the
 * commit, and so is written last: within `transact` by itself, elsewhere by being called last.
 */
export async function audit(tx: AuditContext, happening: Happening): Promise<void> {
  await auditAll(tx, [happening]);
}

/** Writes several entries at once, for batch jobs. */
export async function auditAll(tx: AuditContext, happenings: readonly Happening[]): Promise<void> {
  const late = happenings.map((happening) => ({ write: append, entry: entryOf(tx, happening) }));
  if (tx.beforeCommit) tx.beforeCommit.push(...late);
  else await append(tx.sql, late);
}

type Unlinked = Omit<AuditEntry, 'seq'>;

interface Waiting extends Late {
  readonly entry: Unlinked;
}

/** Adds entries of one workspace to its chain, in their order. */
async function append(sql: Sql, late: readonly Waiting[]): Promise<void> {
  const organizationId = late[0]?.entry.organizationId;
  if (organizationId === undefined) return;
  let link = await lockHead(sql, organizationId);
  const rows = late.map(({ entry: unlinked }) => {
    const entry = { ...unlinked, seq: link.seq + 1 };
    link = { seq: entry.seq, hash: linkTo(link.hash, entry) };
    return { ...entry, hash: link.hash };
  });
  await sql.rows(
    `with head as (update audit_heads set seq = $2, hash = $3 where organization_id = $1)
     insert into audit_entries (organization_id, id, seq, action, actor, target, changes, ip, user_agent, request_id, created_at, hash)
     select $1, e.* from unnest($4::text[], $5::bigint[], $6::text[], $7::jsonb[], $8::jsonb[], $9::jsonb[], $10::text[],
       $11::text[], $12::text[], $13::timestamptz[], $14::bytea[]) e`,
    [
      organizationId,
      link.seq,
      link.hash,
      rows.map((row) => row.id),
      rows.map((row) => row.seq),
      rows.map((row) => row.action),
      rows.map((row) => JSON.stringify(row.actor)),
      rows.map((row) => JSON.stringify(row.target)),
      rows.map((row) => JSON.stringify(row.changes)),
      rows.map((row) => row.ip),
      rows.map((row) => row.userAgent),
      rows.map((row) => row.requestId),
      rows.map((row) => row.createdAt),
      rows.map((row) => row.hash),
    ],
    'audit-entries',
  );
}

interface Link {
  readonly seq: number;
  readonly hash: Buffer;
}

/** The end of the workspace's chain, locked, so that entries are written one at a time. */
async function lockHead(sql: Sql, organizationId: string): Promise<Link> {
  const locked = (): Promise<Link | null> =>
    first<Link>(
      sql,
      'select seq, hash from audit_heads where organization_id = $1 for update',
      [organizationId],
      'audit-head',
    );
  const known = await locked();
  if (known) return known;
  await sql.rows('insert into audit_heads values ($1, $2, $3) on conflict do nothing', [
    organizationId,
    NO_ENTRIES.seq,
    NO_ENTRIES.hash,
  ]);
  return (await locked()) ?? NO_ENTRIES;
}

function entryOf(tx: AuditContext, happening: Happening): Unlinked {
  return {
    id: newId('aud'),
    organizationId: tx.organizationId,
    action: happening.action,
    actor: auditActor(tx.actor),
    target: happening.target,
    changes: (happening.changes ?? []).map(withoutSecrets),
    ip: tx.request?.ip ?? null,
    userAgent: tx.request?.userAgent ?? null,
    requestId: tx.request?.id ?? null,
    createdAt: tx.now.toISOString(),
  };
}

/** An app's actions name both the app and the person (specification, What a token reaches). */
const auditActor = (actor: Doer): AuditActor => {
  const { type, id, name } = actor;
  if (type !== 'member')
    return { type, id, name, member_id: null, member_name: null, app_id: null };
  const person = { member_id: actor.id, member_name: name };
  if (!actor.app) return { type, id, name, ...person, app_id: null };
  const { app } = actor;
  return { type: 'app', id: app.id, name: app.name, ...person, app_id: app.id };
};
