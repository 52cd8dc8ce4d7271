import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import type { Scope } from '../access/scopes.ts';
import { tenantFilter, tenantOwned } from '../db/tenant.ts';

/** The identity under which an API key acts; the audit log shows its name. */
export const ServiceAccount = defineEntity({
  name: 'ServiceAccount',
  tableName: 'service_accounts',
  filters: tenantFilter,
  properties: { ...tenantOwned, name: p.text() },
});

/** Only the SHA-256 of a key and its first characters are stored (specification, API keys). */
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
    /** How many days before the key's end the last warning was given. */
    expiryWarned: p.integer().nullable(),
  },
});

export type ServiceAccount = InferEntity<typeof ServiceAccount>;
export type ApiKey = InferEntity<typeof ApiKey>;
