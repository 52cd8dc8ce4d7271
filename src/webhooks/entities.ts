import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import { tenantFilter, tenantOwned } from '../db/tenant.ts';

/** A customer's endpoint. Secrets are encrypted at rest; deliveries and attempts are SQL only. */
export const WebhookEndpoint = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  filters: tenantFilter,
  properties: {
    ...tenantOwned,
    name: p.text(),
    url: p.text(),
    events: p.array(),
    status: p.text().$type<'active' | 'paused'>(),
    secret: p.text(),
    previousSecret: p.text().nullable(),
    previousValidUntil: p.datetime().nullable(),
    secretVersion: p.integer(),
    failuresInRow: p.integer(),
    deletedAt: p.datetime().nullable(),
    /** Who made it, when that was a person: it gets what they may see. */
    memberId: p.text().nullable(),
  },
});

export type WebhookEndpoint = InferEntity<typeof WebhookEndpoint>;
