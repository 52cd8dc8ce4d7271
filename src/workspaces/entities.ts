import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import { tenantFilter } from '../db/tenant.ts';

/** A plan's limits (design decisions §18; the endpoint limits are the specification's). Data, not code. */
export const Plan = defineEntity({
  name: 'Plan',
  tableName: 'plans',
  properties: {
    name: p.text().primary(),
    webhookEndpoints: p.integer(),
    numbers: p.integer(),
    seats: p.integer(),
    contacts: p.integer(),
    campaignRecipients: p.integer(),
    activeAutomations: p.integer(),
    activeReminders: p.integer(),
    maxPace: p.integer(),
    historyMonths: p.integer().nullable(),
  },
});

/** The tenant. */
export const Workspace = defineEntity({
  name: 'Workspace',
  tableName: 'workspaces',
  filters: tenantFilter,
  properties: {
    organizationId: p.text().primary(),
    name: p.text(),
    plan: p.text(),
    timeZone: p.text(),
    language: p.text(),
    /** Null never closes a conversation automatically. */
    idleCloseHours: p.integer().nullable(),
    planChangedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
});

export type Plan = InferEntity<typeof Plan>;
export type Workspace = InferEntity<typeof Workspace>;
