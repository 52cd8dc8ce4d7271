import { createHash, randomBytes } from 'node:crypto';
import { nameProblems } from '../access/names.ts';
import { isScope, SCOPE_NAMES, type Scope } from '../access/scopes.ts';
import { audit } from '../audit/service.ts';
import type { Context, ReadContext } from '../context.ts';
import { transact } from '../db/transact.ts';
import { invalidState, notFound, validation } from '../errors.ts';
import { newId } from '../ids.ts';
import { ApiKey, ServiceAccount } from './entities.ts';
import {
  expiringSoon,
  expiryOf,
  type KeyStatus,
  LIFETIMES,
  type Lifetime,
  statusOf,
} from './rules.ts';

/** The part of a key that is listed, and the only part stored in clear. */
const PREFIX_LENGTH = 12;
const MAX_NAME = 60;

export interface NewApiKey {
  /** 1 to 60 characters; its service account has the same name, which the audit log shows. */
  readonly name: string;
  readonly scopes: readonly string[];
  readonly lifetime: string;
}

/** Creates a key and the service account under which it acts. The key is shown only in this answer. */
export async function createApiKey(
  ctx: Context,
  input: NewApiKey,
): Promise<{ id: string; key: string }> {
  const { name, scopes, lifetime } = parse(input);
  const key = `sk_live_${randomBytes(16).toString('hex')}`;
  return transact(ctx, async (tx) => {
    const owned = { organizationId: tx.organizationId, createdAt: tx.now };
    const account = tx.em.create(ServiceAccount, { ...owned, id: newId('sva'), name });
    await tx.em.flush();
    const apiKey = tx.em.create(ApiKey, {
      ...owned,
      id: newId('key'),
      serviceAccountId: account.id,
      name,
      prefix: key.slice(0, PREFIX_LENGTH),
      hash: createHash('sha256').update(key).digest(),
      scopes,
      expiresAt: expiryOf(lifetime, tx.now),
      revokedAt: null,
      lastUsedAt: null,
      lastUsedIp: null,
      createdBy: tx.actor.id ?? tx.actor.name,
      expiryWarned: null,
    });
    await tx.em.flush();
    await audit(tx, {
      action: 'api_key.created',
      target: { type: 'api_key', id: apiKey.id, name },
      changes: [
        { field: 'scopes', from: null, to: scopes },
        { field: 'expires_at', from: null, to: apiKey.expiresAt?.toISOString() ?? null },
      ],
    });
    return { id: apiKey.id, key };
  });
}

/** A key as in design decisions §25, without the key itself. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly status: KeyStatus;
  readonly expires_at: string | null;
  readonly expiring_soon: boolean;
  readonly last_used_at: string | null;
  /** Where the last call came from. */
  readonly last_used_ip: string | null;
  readonly service_account: { readonly id: string; readonly name: string };
  readonly created_by: string;
  readonly created_at: string;
}

interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly lastUsedIp: string | null;
  readonly serviceAccountId: string;
  readonly accountName: string;
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** All keys of the workspace, newest first, including revoked and expired ones. */
export async function listApiKeys(ctx: ReadContext): Promise<ApiKeyRecord[]> {
  const rows = await ctx.sql.rows<KeyRow>(
    `select k.id, k.name, k.prefix, k.scopes, k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
       k.last_used_at as "lastUsedAt", k.last_used_ip as "lastUsedIp", k.service_account_id as "serviceAccountId", a.name as "accountName",
       k.created_by as "createdBy", k.created_at as "createdAt"
     from api_keys k
     join service_accounts a on a.organization_id = k.organization_id and a.id = k.service_account_id
     where k.organization_id = $1 order by k.id desc`,
    [ctx.organizationId],
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    status: statusOf(row, ctx.now),
    expires_at: row.expiresAt?.toISOString() ?? null,
    expiring_soon: expiringSoon(row, ctx.now),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    last_used_ip: row.lastUsedIp,
    service_account: { id: row.serviceAccountId, name: row.accountName },
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
  }));
}

/** Revokes a key for good: its next call is refused, in every process. */
export async function revokeApiKey(
  ctx: Context,
  keyId: string,
): Promise<{ id: string; status: 'revoked' }> {
  return transact(ctx, async (tx) => {
    const [revoked] = await tx.sql.rows<{ name: string; expiresAt: Date | null }>(
      `update api_keys set revoked_at = $3 where organization_id = $1 and id = $2 and revoked_at is null
       returning name, expires_at as "expiresAt"`,
      [tx.organizationId, keyId, tx.now],
    );
    if (!revoked) {
      const known = await tx.em.findOne(ApiKey, { id: keyId });
      throw known ? invalidState('revoked', ['active', 'expired']) : notFound('API key');
    }
    const { expiresAt } = revoked;
    const from = statusOf({ expiresAt, revokedAt: null }, tx.now);
    await audit(tx, {
      action: 'api_key.revoked',
      target: { type: 'api_key', id: keyId, name: revoked.name },
      changes: [{ field: 'status', from, to: 'revoked' }],
    });
    return { id: keyId, status: 'revoked' };
  });
}

function parse(input: NewApiKey): { name: string; scopes: Scope[]; lifetime: Lifetime } {
  const name = input.name.trim();
  const problems = nameProblems(name, MAX_NAME);
  const scopes = [...new Set(input.scopes)].filter(isScope);
  const unknown = input.scopes.filter((scope) => !isScope(scope));
  if (scopes.length === 0 || unknown.length > 0) {
    const message =
      unknown.length > 0
        ? `There is no scope ${unknown.join(', ')}. There are: ${SCOPE_NAMES.join(', ')}.`
        : 'Give at least one scope.';
    problems.push({ path: 'scopes', rule: 'enum', allowed: SCOPE_NAMES, message });
  }
  const lifetime = LIFETIMES.find((known) => known === input.lifetime);
  if (!lifetime) {
    const message = `A key lives for one of ${LIFETIMES.join(', ')}.`;
    problems.push({ path: 'lifetime', rule: 'enum', allowed: LIFETIMES, message });
  }
  if (!lifetime || problems.length > 0) throw validation(problems);
  return { name, scopes, lifetime };
}
