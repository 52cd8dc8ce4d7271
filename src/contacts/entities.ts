import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import { tenantFilter, tenantOwned } from '../db/tenant.ts';
import type { CreatedVia, Origin, WHATSAPP_STATUSES } from './rules.ts';

/** Consent to marketing, with the exact words that were agreed to (design decisions §3). */
export interface Consent {
  readonly label: string;
  readonly source: string;
  readonly at: string;
}

/**
 * A person. Phones are matched by `phoneKey`, which ignores Brazil's ninth digit, and e-mail addresses by `emailKey`.
 */
export const Contact = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  filters: tenantFilter,
  properties: {
    ...tenantOwned,
    name: p.text(),
    phone: p.text().nullable(),
    phoneKey: p.text().nullable(),
    email: p.text().nullable(),
    emailKey: p.text().nullable().generated('lower(email) stored'),
    optedOut: p.boolean(),
    optedOutAt: p.datetime().nullable(),
    optOutSource: p.text().nullable(),
    blocked: p.boolean(),
    ownerId: p.text().nullable(),
    tags: p.array(),
    custom: p.json<Record<string, unknown>>(),
    birthDate: p.date().nullable(),
    birthDay: p
      .integer()
      .nullable()
      .generated(
        '(extract(month from birth_date) * 100 + extract(day from birth_date))::int stored',
      ),
    birthYearKnown: p.boolean(),
    language: p.text().nullable(),
    timeZone: p.text().nullable(),
    notes: p.text(),
    origin: p.text().$type<Origin>(),
    createdVia: p.text().$type<CreatedVia>(),
    whatsappStatus: p.text().$type<(typeof WHATSAPP_STATUSES)[number]>(),
    noWhatsappSince: p.datetime().nullable(),
    reachedSince: p.datetime().nullable(),
    lastInboundAt: p.datetime().nullable(),
    lastOutboundAt: p.datetime().nullable(),
    optOutMessageId: p.text().nullable(),
    optOutConfirmedAt: p.datetime().nullable(),
    optedInAt: p.datetime().nullable(),
    consent: p.json<Consent>().nullable(),
    updatedAt: p.datetime(),
  },
});

export type Contact = InferEntity<typeof Contact>;
