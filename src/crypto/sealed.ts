import { first, type Sql } from '../db/sql.ts';
import type { SecretPlace } from './keyring.ts';

/** A column that the keyring encrypts. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The row's identity to which the ciphertext is bound, in SQL. */
  readonly row: string;
}

/** Every encrypted column of a workspace; a test finds any that is missing here. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'webhook_endpoints', column: 'secret', row: 'id' },
  { table: 'webhook_endpoints', column: 'previous_secret', row: 'id' },
  { table: 'numbers', column: 'access_token', row: 'id' },
  { table: 'idempotency_keys', column: 'body', row: `credential_id || ':' || key` },
];

/** Encrypted columns of tables that belong to no workspace. */
export const SHARED_COLUMNS: readonly SealedColumn[] = [
  { table: 'oauth_signing_keys', column: 'private_key', row: 'kid' },
];

export interface SealedValue {
  readonly row: string;
  readonly blob: string;
}

/** Stored answers without a secret are not encrypted; they are JSON, which never begins like this. */
const SEALED = `like 'v1|%'`;
const KEY_ID = (column: string): string => `split_part(${column}, '|', 2)`;

/** The next values of a workspace that were encrypted with another key than `keyId`, by row. */
export const staleValues = (
  sql: Sql,
  { table, column, row }: SealedColumn,
  query: { organizationId: string; keyId: string; after: string; limit: number },
): Promise<SealedValue[]> =>
  sql.rows<SealedValue>(
    `select ${row} as row, ${column} as blob from ${table}
     where organization_id = $1 and ${column} ${SEALED} and ${KEY_ID(column)} <> $2 and ${row} > $3
     order by 1 limit $4`,
    [query.organizationId, query.keyId, query.after, query.limit],
  );

/** Values changed meanwhile are left as they are. Returns how many were replaced. */
export async function replaceValues(
  sql: Sql,
  { table, column, row }: SealedColumn,
  organizationId: string,
  values: readonly { readonly row: string; readonly old: string; readonly fresh: string }[],
): Promise<number> {
  const replaced = await first<{ n: number }>(
    sql,
    `with replaced as (
       update ${table} t set ${column} = v.fresh
       from unnest($2::text[], $3::text[], $4::text[]) as v (place, old, fresh)
       where t.organization_id = $1 and ${row} = v.place and t.${column} = v.old
       returning 1)
     select count(*)::int as n from replaced`,
    [
      organizationId,
      values.map((value) => value.row),
      values.map((value) => value.old),
      values.map((value) => value.fresh),
    ],
  );
  return replaced?.n ?? 0;
}

/** How many values of a workspace each key encrypted. */
export const countValues = (
  sql: Sql,
  { table, column }: SealedColumn,
  organizationId: string,
): Promise<{ keyId: string; n: number }[]> =>
  sql.rows(
    `select ${KEY_ID(column)} as "keyId", count(*)::int as n from ${table}
     where organization_id = $1 and ${column} ${SEALED} group by 1`,
    [organizationId],
  );

/** @param organizationId `''` for a table that belongs to no workspace */
export const placeOf = (
  { table, column }: SealedColumn,
  organizationId: string,
  row: string,
): SecretPlace => ({ table, column, row, organizationId });
