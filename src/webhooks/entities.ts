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
    /** A listener is a person's own machine, which fetches what is held for it (`wms listen`). */
    kind: p.text().$type<'endpoint' | 'listener'>().default('endpoint'),
    heardAt: p.datetime().nullable(),
    pausedAt: p.datetime().nullable(),
    /** When its backlog is looked at next; null when nobody needs to. */
    drainAt: p.datetime().nullable(),
    /** Since when an operator has had its backlog held; null once it is resumed. */
    backlogHeldAt: p.datetime().nullable(),
    /** What failed before this moment is to be sent again. */
    resendBefore: p.datetime().nullable(),
    /** Raised by every change: what a process took before it is taken anew. */
    revision: p.integer().default(1),
    /** Who made it, when that was a person: it gets what they may see. */
    memberId: p.text().nullable(),
  },
});

export type WebhookEndpoint = InferEntity<typeof WebhookEndpoint>;
