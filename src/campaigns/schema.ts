import { z } from 'zod';
import { LONGEST } from '../conversations/sending/lengths.ts';
import { ABOUT_FREE_TEXT } from '../conversations/sending/personal-text.ts';
import { recordId, text, words } from '../http/fields.ts';
import { PACES } from './limits/pacing.ts';
import {
  CAMPAIGN_STATUSES,
  CAMPAIGN_TARGETS,
  EXCLUSIONS,
  FORESEEABLE,
  MOST_CONTACT_IDS,
  PAUSE_REASONS,
  RECIPIENT_STATUSES,
  REPORTED_REASONS,
  RETRIED,
  WAITING_FOR,
} from './rules.ts';

export const time = z.iso.datetime();
export const count = z.int().min(0);

const when = z.string().max(40);
const WHEN =
  'A date and time with an offset or `Z`, or a local time in the time zone of the workspace (`2027-11-26T09:00`), from 5 minutes to 365 days ahead.';

const fields = {
  name: words(80),
  number_id: recordId,
  target: z.enum(['segment', 'contacts', 'groups']),
  segment_id: recordId.nullable(),
  contact_ids: z.array(recordId).max(MOST_CONTACT_IDS),
  group_ids: z.array(recordId).max(100),
  text: words(LONGEST.text).meta({ description: ABOUT_FREE_TEXT }),
  when: when.nullable().meta({
    description: `${WHEN} It counts only once the campaign is scheduled (\`schedule_campaign\`): \`send_campaign\` sends now and ignores it.`,
  }),
  pace: z.literal([...PACES]).meta({
    description:
      'Messages per minute, at most; paired numbers, groups and plans allow only the lower ones.',
  }),
};

/** `POST /v1/campaigns` (specification). */
export const createCampaignBody = z.strictObject({
  ...fields,
  segment_id: fields.segment_id.default(null),
  contact_ids: fields.contact_ids.default([]),
  group_ids: fields.group_ids.default([]),
  when: fields.when.default(null),
});

/** `PATCH /v1/campaigns/{id}`: fields that are left out stay as they are. */
export const updateCampaignBody = z.strictObject(fields).partial();

export const scheduleBody = z.strictObject({
  when: when.optional().meta({ description: `${WHEN} If it is left out, the campaign's own.` }),
});

export const campaignFilters = z.strictObject({
  status: z.enum(CAMPAIGN_STATUSES).optional(),
  number_id: recordId.optional(),
  segment_id: recordId.optional(),
});

export const recipientFilters = z.strictObject({ status: z.enum(RECIPIENT_STATUSES).optional() });

const view = {
  id: z.string(),
  name: z.string(),
  status: z.enum(CAMPAIGN_STATUSES),
  number_id: z.string().nullable(),
  target: z.enum(CAMPAIGN_TARGETS),
  segment_id: z.string().nullable(),
  contact_ids: z.array(z.string()),
  group_ids: z.array(z.string()),
  text: z.string(),
  send_at: time.nullable().meta({ description: 'As planned; `started_at` says when it began.' }),
  pace: z.int().meta({ description: 'Messages per minute; 0 when only the number paces it.' }),
  started_at: time.nullable(),
  finished_at: time.nullable(),
  created_at: time,
  effective_pace: z.int().nullable().meta({
    description:
      "Messages per minute in the end: `pace`, at most the plan's, the number's and, until it is over, a fair share beside other campaigns.",
  }),
  estimated_finish_at: time.nullable(),
  pause_reason: z.enum(PAUSE_REASONS).nullable(),
  waiting_until: time.nullable(),
  retry_of: z.string().nullable(),
  pipeline_id: z.string().nullable(),
  stage_ids: z.array(z.string()),
};

export const campaignView = z.strictObject(view).meta({ id: 'Campaign' });

export const countsOf = <const K extends string>(keys: readonly K[]) =>
  z.strictObject(Object.fromEntries(keys.map((key) => [key, count])) as Record<K, typeof count>);

export const campaignDetailView = z
  .strictObject({
    ...view,
    audience: z.strictObject({
      status: z.enum(['estimated', 'frozen']),
      total: count,
      eligible: count,
      excluded: countsOf(EXCLUSIONS),
      frozen_at: time.nullable(),
    }),
    results: countsOf([...RECIPIENT_STATUSES, 'replied']).extend({
      opted_out: count.meta({
        description:
          'How many opted out within a week of getting it, if no later campaign reached them before that; who is deleted or opts in again is not counted.',
      }),
      reasons: countsOf(REPORTED_REASONS).catchall(count),
      first_sent_at: time.nullable(),
      last_sent_at: time.nullable(),
    }),
  })
  .meta({ id: 'CampaignDetail' });

export const recipientView = z
  .strictObject({
    id: z.string(),
    contact_id: z.string().nullable(),
    group_id: z.string().nullable(),
    phone: z.string(),
    status: z.enum(RECIPIENT_STATUSES),
    reason: z.string().nullable().meta({
      description:
        'Why it is `failed`: the `error.reason` of its message; or why it is `skipped`, which was found when its turn came: `opted_out`, `no_recipient`, `out_of_window`, or `duplicate` (reached by the campaign that this one tries again). More may be added. Null for others.',
    }),
    message_id: z.string().nullable(),
    attempts: count,
    claimed_at: time.nullable(),
    settled_at: time.nullable(),
  })
  .meta({ id: 'Recipient' });

const whom = {
  contact_id: z.string().nullable(),
  group_id: z.string().nullable(),
  name: z.string(),
  phone: z.string(),
};

const after = z.enum(WAITING_FOR).nullable();
const span = z.strictObject({ from: time, to: time, messages: count, after });

/** What would happen if it were sent: at most ten of those who get it, and of those who do not. */
export const previewView = z.strictObject({
  audience: z.strictObject({ total: count, eligible: count, excluded: countsOf(EXCLUSIONS) }),
  recipients: z.array(z.strictObject({ ...whom, text: z.string() })),
  left_out: z.array(z.strictObject({ ...whom, reason: z.enum(EXCLUSIONS) })),
  effective_pace: z.int().nullable(),
  starts_at: time,
  estimated_finish_at: time.nullable(),
  timetable: z.array(span).max(100).meta({
    description:
      'Evenly spaced messages without a wait in between; `after` is what was waited for.',
  }),
  pauses: z
    .strictObject({ reason: z.enum(FORESEEABLE), at: time, left: count })
    .nullable()
    .meta({
      description:
        'Where it would stop for a person to decide: at the limit of a day, or at once while the number cannot send. With `quota` the plan has no room for it in the month of `at`: sending it is refused with 409 `quota`, and a schedule pauses it then.',
    }),
});

export const testBody = z.strictObject({ phone: text(1, 40) });

export const testView = z.strictObject({
  message_id: z.string(),
  conversation_id: z.string(),
  phone: z.string(),
  text: z.string(),
});

/** Either all recipients with some statuses, or recipients by id. */
export const retryBody = z
  .strictObject({
    statuses: z.array(z.enum(RETRIED)).min(1).max(RETRIED.length).optional(),
    recipient_ids: z.array(recordId).min(1).max(1000).optional().meta({
      description: 'Recipients of the campaign, each `failed` or `unconfirmed`.',
    }),
  })
  .superRefine(({ statuses, recipient_ids }, ctx) => {
    if ((statuses === undefined) !== (recipient_ids === undefined)) return;
    ctx.addIssue({
      code: 'custom',
      path: [statuses ? 'recipient_ids' : 'statuses'],
      message: 'Give either statuses or recipient_ids.',
      params: { rule: 'exactly_one', allowed: ['statuses', 'recipient_ids'] },
    });
  });

export type CampaignFilters = z.output<typeof campaignFilters>;
export type PreviewView = z.input<typeof previewView>;
export type CampaignView = z.input<typeof campaignView>;
export type CampaignDetailView = z.input<typeof campaignDetailView>;
export type RecipientView = z.input<typeof recipientView>;
