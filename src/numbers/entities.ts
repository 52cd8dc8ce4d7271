import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import { tenantFilter, tenantOwned } from '../db/tenant.ts';
import type { DayHours, NumberStatus, Provider } from './rules.ts';

/**
 * A WhatsApp number. `downSince` is null while it can send; `heldAt` is set from `wms ops hold` to its release; `accessToken` is encrypted at rest;
 * `ceilingPerMinute` null means none.
 */
export const WhatsAppNumber = defineEntity({
  name: 'WhatsAppNumber',
  tableName: 'numbers',
  filters: tenantFilter,
  properties: {
    ...tenantOwned,
    name: p.text(),
    phone: p.text().nullable(),
    provider: p.text().$type<Provider>(),
    status: p.text().$type<NumberStatus>(),
    statusReason: p.text().nullable(),
    statusChangedAt: p.datetime(),
    downSince: p.datetime().nullable(),
    heldAt: p.datetime().nullable(),
    phoneNumberId: p.text().nullable(),
    businessAccountId: p.text().nullable(),
    accessToken: p.text().nullable(),
    window24h: p.boolean().fieldName('window_24h'),
    ceilingPerMinute: p.integer().nullable(),
    defaultTeamId: p.text().nullable(),
    stageId: p.text().nullable(),
    hours: p.json<DayHours[]>().nullable(),
  },
});

export type WhatsAppNumber = InferEntity<typeof WhatsAppNumber>;
