import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import { tenantFilter, tenantOwned } from '../db/tenant.ts';
import type { EndpointStatus } from './rules.ts';

/** A customer's endpoint. Secrets are encrypted at rest. Deliveries and attempts have no entities, only SQL. */
export const WebhookEndpoint = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  filters: tenantFilter,
  properties: {
    ...tenantOwned,
    name: p.text(),
    url: p.text(),
    events: p.array(),
    status: p.text().$type<EndpointStatus>(),
    secret: p.text(),
    previousSecret: p.text().nullable(),
    previousValidUntil: p.datetime().nullable(),
    secretVersion: p.integer(),
    failuresInRow: p.integer(),
    deletedAt: p.datetime().nullable(),
    /** A listener is a developer's own machine, which fetches what is held for it (`wms listen`). */
    kind: p.text().$type<'endpoint' | 'listener'>().default('endpoint'),
    heardAt: p.datetime().nullable(),
    pausedAt: p.datetime().nullable(),
    /** By `wms webhook pause`, and not by its owner since. */
    pausedByOperator: p.boolean().default(false),
    /** When its backlog is checked next; null if it need not be. */
    drainAt: p.datetime().nullable(),
    /** Since when an operator holds its backlog; null once it is resumed. */
    backlogHeldAt: p.datetime().nullable(),
    /** Everything that failed before this moment is to be resent. */
    resendBefore: p.datetime().nullable(),
    /** Incremented by every change, so that processes reload what they took earlier. */
    revision: p.integer().default(1),
    /** The member who created it, if a person did: it receives what they may see. */
    memberId: p.text().nullable(),
    /** The app through which that member created it: it is paused when the app is disconnected. */
    appId: p.text().nullable(),
    appName: p.text().nullable(),
  },
});

export type WebhookEndpoint = InferEntity<typeof WebhookEndpoint>;
