import { createHash, randomBytes } from 'node:crypto';
import { SCOPE_NAMES, type Scope } from '../../src/access/scopes.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import type { Route } from '../../src/http/route.ts';
import { newId } from '../../src/ids.ts';
import { aToken } from './members.ts';

export interface Credential {
  readonly organizationId: string;
  readonly keyId: string;
  /** `sk_live_…` */
  readonly key: string;
  /** An Admin of the workspace, through an app with the same scopes: what `apiKeys: false` asks for. */
  readonly token: string;
}

/** What the route takes: a key, or where keys are refused a person's token. */
export const credentialFor = (
  route: Route,
  { key, token }: Pick<Credential, 'key' | 'token'>,
): string => (route.kind === 'write' && route.apiKeys === false ? token : key);

/** A key written straight into the tables, in a workspace of its own unless one is given. */
export async function aCredential(
  database: Database,
  options: { scopes?: readonly Scope[]; organizationId?: string; expiresAt?: Date } = {},
): Promise<Credential> {
  const { scopes = SCOPE_NAMES, organizationId = newId('org'), expiresAt = null } = options;
  const keyId = newId('key');
  const accountId = newId('sva');
  const memberId = newId('mem');
  const key = `sk_live_${randomBytes(16).toString('hex')}`;
  const hash = createHash('sha256').update(key).digest();
  await inWorkspace(database, organizationId, async (sql) => {
    await sql.rows(
      `insert into workspaces (organization_id, name, plan, created_at) values ($1, 'Ateliê', 'escala', now())
       on conflict do nothing`,
      [organizationId],
    );
    await sql.rows(
      `insert into members (organization_id, id, user_id, name, email, role, created_at)
       values ($1, $2, wms.person_of($3, $2, 'Ana', null, now()), 'Ana', $2, 'admin', now())`,
      [organizationId, memberId, newId('usr')],
    );
    await sql.rows('insert into service_accounts values ($1, $2, $3, now())', [
      organizationId,
      accountId,
      'Shop',
    ]);
    await sql.rows(
      `insert into api_keys (organization_id, id, service_account_id, name, prefix, hash, scopes, expires_at, created_by, created_at)
       values ($1, $2, $3, 'Shop', $4, $5, $6, $7, 'test', now())`,
      [organizationId, keyId, accountId, key.slice(0, 12), hash, scopes, expiresAt],
    );
  });
  const { token } = aToken(organizationId, memberId, { scopes });
  return { organizationId, keyId, key, token };
}
