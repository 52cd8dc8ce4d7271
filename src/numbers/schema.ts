import { z } from 'zod';
import { localTime, recordId, words } from '../http/fields.ts';
import { NUMBER_STATUSES, PROVIDERS, WEEKDAYS } from './rules.ts';

const HOURS = {
  description:
    'Seven days, Monday first, by the time zone of the workspace; null: always open. `to` not after `from` runs past midnight, and both alike are the whole day.',
};

/** `PATCH /v1/numbers/{id}` (specification). The connection cannot be changed with it. */
export const numberPatch = z
  .strictObject({
    name: words(60),
    team_ids: z.array(recordId).min(1).max(100),
    default_team_id: recordId,
    stage_id: recordId.nullable(),
    hours: z
      .array(z.strictObject({ open: z.boolean(), from: localTime, to: localTime }))
      .length(WEEKDAYS)
      .nullable()
      .meta(HOURS),
  })
  .partial();

export type NumberPatch = z.output<typeof numberPatch>;

/** The specification's fields; the last four are ours (design decisions §8). */
export const numberView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    phone: z.string().nullable(),
    status: z.enum(NUMBER_STATUSES),
    default_team_id: z.string().nullable(),
    created_at: z.iso.datetime(),
    team_ids: z.array(z.string()),
    stage_id: z.string().nullable(),
    hours: z
      .array(z.strictObject({ open: z.boolean(), from: z.string(), to: z.string() }))
      .nullable()
      .meta(HOURS),
    provider: z.enum(PROVIDERS),
    status_reason: z.string().nullable().meta({
      description:
        'Why it is not `connected`, if there is a reason: `quality_red`, `throttled`, `heartbeat_late`, `error_rate`, `socket_closed`, `logged_out`, `code_ready`, `pairing_expired`, `token_revoked`, `held` (by an operator), `restricted`, `cannot_continue`, `provisioning_timeout`, `refused`; or what WhatsApp said: an event in lower case, as `account_deleted`, or `whatsapp_` and its code. More may be added.',
    }),
    status_changed_at: z.iso.datetime(),
    capabilities: z.strictObject({
      templates: z.boolean(),
      window_24h: z.boolean(),
      groups: z.boolean(),
      group_max: z.int().meta({ description: 'How many others a group can have.' }),
      read_receipts: z.boolean(),
    }),
  })
  .meta({ id: 'Number' });

export type NumberView = z.input<typeof numberView>;
