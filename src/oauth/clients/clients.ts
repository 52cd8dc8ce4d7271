import { createHash, timingSafeEqual } from 'node:crypto';
import type { Sql } from '../../db/sql.ts';
import { first } from '../../db/sql.ts';
import type { Verification } from '../rules.ts';

/** A client as RFC 7591 names its fields, without the secret. */
type ClientMetadata = Readonly<Record<string, unknown>>;

export interface ClientRow {
  readonly id: string;
  readonly organization_id: string | null;
  readonly source: 'app' | 'registered';
  readonly name: string;
  readonly metadata: ClientMetadata;
  readonly scopes: readonly string[];
  readonly secret_hash: Buffer | null;
  readonly previous_secret_hash: Buffer | null;
  readonly previous_valid: boolean;
  readonly verification: Verification;
}

/**
 * @param sql as the system, because the workspace is not known yet
 */
export const findClient = (sql: Sql, id: string): Promise<ClientRow | null> =>
  first<ClientRow>(
    sql,
    `select id, organization_id, source, name, metadata, scopes, secret_hash, previous_secret_hash, verification,
       coalesce(previous_valid_until > now(), false) as previous_valid
     from oauth_clients where id = $1`,
    [id],
    'oauth-client',
  );

/** SHA-256 is enough: 256 random bits cannot be guessed, however fast the guessing. */
export const secretHash = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Compares with both secrets in any case, so the timing reveals nothing. */
export function secretFits(client: ClientRow, presented: string): boolean {
  const hash = secretHash(presented);
  const current = equal(client.secret_hash, hash);
  const previous = equal(client.previous_secret_hash, hash) && client.previous_valid;
  return current || previous;
}

function equal(known: Buffer | null, hash: Buffer): boolean {
  const other = known ?? Buffer.alloc(hash.length);
  return timingSafeEqual(other, hash) && known !== null;
}

/** A client that registered by itself (RFC 7591). */
export async function insertRegistered(
  sql: Sql,
  id: string,
  { client_secret, ...metadata }: Readonly<Record<string, unknown>>,
  scopes: readonly string[],
): Promise<void> {
  const secret = typeof client_secret === 'string' ? client_secret : null;
  await sql.rows(
    `insert into oauth_clients (id, source, name, metadata, scopes, secret_hash, secret_prefix, created_at)
     values ($1, 'registered', $2, $3, $4, $5, $6, now())`,
    [
      id,
      metadata['client_name'] ?? 'Unnamed app',
      JSON.stringify(metadata),
      scopes,
      secret && secretHash(secret),
      secret?.slice(0, SECRET_PREFIX) ?? null,
    ],
  );
}

/** How much of a secret is stored in clear, to tell two apart. */
export const SECRET_PREFIX = 12;
