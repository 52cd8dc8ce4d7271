import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import type { Scope } from '../access/scopes.ts';
import { tenantFilter, tenantOwned } from '../db/tenant.ts';

/** Who an API key acts as: its name stands in the audit log. */
export const ServiceAccount = defineEntity({
  name: 'ServiceAccount',
  tableName: 'service_accounts',
  filters: tenantFilter,
  properties: { ...tenantOwned, name: p.text() },
});

/** Only the SHA-256 of a key and its first characters are kept (specification, API keys). */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  filters: tenantFilter,
  properties: {
    ...tenantOwned,
    serviceAccountId: p.text(),
    name: p.text(),
    prefix: p.text(),
    hash: p.blob(),
    scopes: p.array().$type<Scope[]>(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    lastUsedIp: p.text().nullable(),
    createdBy: p.text(),
    /** So many days before its end was the last warning. */
    expiryWarned: p.integer().nullable(),
  },
});

export type ServiceAccount = InferEntity<typeof ServiceAccount>;
export type ApiKey = InferEntity<typeof ApiKey>;
