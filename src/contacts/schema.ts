import { z } from 'zod';
import { dateTime, recordId, text, words } from '../http/fields.ts';
import { contactDetails, contactFields, email, phone, tag } from './fields.ts';
import { withoutMarks } from './identity/phones.ts';
import {
  CREATED_VIA,
  IDENTITY_TYPES,
  IMPORT_OUTCOMES,
  IMPORT_STATUSES,
  ORIGINS,
  WHATSAPP_STATUSES,
} from './rules.ts';

/** What is said of a contact without any of these. */
export const NOBODY = {
  path: 'name',
  rule: 'required',
  message: 'Give a name, a phone or an e-mail address.',
} as const;

function requireSomebody(
  body: {
    id?: string | undefined;
    name?: string | undefined;
    phone?: string | null | undefined;
    email?: string | null | undefined;
  },
  ctx: z.core.$RefinementCtx,
): void {
  if (body.name || body.phone || body.email || body.id) return;
  const { path, rule, message } = NOBODY;
  ctx.addIssue({ code: 'custom', path: [path], message, params: { rule } });
}

/** Body of `POST /v1/contacts` (design decisions §12). A person needs a name, a phone or an e-mail address. */
export const newContactBody = z
  .strictObject({ ...contactFields, owner_id: recordId.nullable().optional() })
  .superRefine(requireSomebody);

/**
 * One row of an import. The `id` of a contact of the workspace says who it is; any other says nothing. That somebody is opted out or blocked is taken from it; `false` takes neither back.
 */
export const importRow = z
  .strictObject({
    ...contactFields,
    id: z.string().optional(),
    opted_out: z.boolean().optional(),
    blocked: z.boolean().optional(),
  })
  .superRefine(requireSomebody);

/** Clearing one is refused: there is no other way back than those that it names. */
const optedOut = z
  .boolean()
  .superRefine((value, ctx) => {
    const message =
      "An opt-out ends by the person's own words, or in the console by a member who writes down why.";
    if (!value) ctx.addIssue({ code: 'custom', message, params: { rule: 'opt_in' } });
  })
  .meta({
    description:
      'Only `true`: the person told you that they want no messages. Who is opted out already keeps when and how.',
  });

/** Body of `PATCH /v1/contacts/{id}` (specification): fields that are left out stay. */
export const contactPatchBody = z.strictObject({
  name: words(200).optional(),
  phone: phone.optional().meta({ description: 'An empty one removes it.' }),
  email: email.nullable().optional(),
  owner_id: recordId.nullable().optional(),
  ...contactDetails,
  tags: contactDetails.tags.meta({ description: 'All of them: these replace the ones it has.' }),
  custom: contactDetails.custom.meta({
    description: 'Merged key by key: null removes a key, and one that is left out stays.',
  }),
  blocked: z.boolean().optional(),
  opted_out: optedOut.optional(),
});

/** Filters of `GET /v1/contacts`. */
export const contactFilters = z.strictObject({
  q: text(1, 100).optional().meta({
    description:
      'A part of the name, phone or e-mail address; one or two characters, what a word of it begins with.',
  }),
  phone: text(1, 40)
    .transform((value) => withoutMarks(value).replace(/^\+?/, '+'))
    .pipe(phone)
    .optional()
    .meta({
      description:
        'With its country code, in any spelling; with or without `+`, which a query string turns into a space.',
    }),
  email: text(1, 254).optional(),
  tag: tag.optional(),
  owner_id: recordId.optional(),
  opted_out: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional(),
  origin: z.enum(ORIGINS).optional(),
  updated_since: dateTime().optional().meta({
    description:
      'Messages do not count: `last_inbound_at`, `last_outbound_at`, `window_expires_at` and `whatsapp_status` change without `updated_at`. A change bears the time at which its call came, and is seen when that call is over: to miss none, ask from a minute before the newest `updated_at` that you have. Whoever was deleted, or merged into another, is in no list any more.',
  }),
});

const time = z.iso.datetime();

/** Design decisions §12; the specification's six fields come first. */
export const contactView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    phone: z.string().nullable(),
    email: z.string().nullable(),
    opted_out: z.boolean(),
    created_at: time,
    opted_out_at: time.nullable(),
    opt_out_source: z.string().nullable().meta({
      description:
        'By what: `message` or `button` (they wrote or pressed it), `whatsapp` (they told WhatsApp, for marketing), `member`, `import`, or `api`. More may be added.',
    }),
    blocked: z.boolean(),
    owner_id: z.string().nullable(),
    tags: z.array(z.string()),
    custom: z.record(z.string(), z.unknown()),
    birth_date: z.iso.date().nullable(),
    birth_year_known: z.boolean(),
    language: z.string().nullable(),
    time_zone: z.string().nullable(),
    notes: z.string(),
    origin: z.enum(ORIGINS),
    created_via: z.enum(CREATED_VIA),
    identities: z.array(
      z.strictObject({
        type: z.enum(IDENTITY_TYPES),
        value: z.string(),
        number_id: z.string().nullable(),
        primary: z.boolean(),
      }),
    ),
    whatsapp_status: z.enum(WHATSAPP_STATUSES),
    last_inbound_at: time.nullable(),
    last_outbound_at: time.nullable(),
    window_expires_at: time.nullable(),
    updated_at: time,
  })
  .meta({ id: 'Contact' });

export const contactIdView = z.strictObject({ id: z.string() });

/** Body of `POST /v1/contacts/{id}/merge`: the contact to merge into the one in the path. */
export const mergeBody = z.strictObject({
  contact_id: recordId.meta({
    description:
      'The one that goes. Calls that still name it are refused with the id of the one that stays: `details.merged_into`. Where both have a conversation on one number, its messages move to the other’s, and its own is not found any more.',
  }),
});

export const importView = z.strictObject({
  id: z.string(),
  file_name: z.string(),
  status: z.enum(IMPORT_STATUSES),
  total: z.int().meta({
    description: 'Rows of the file; once processed, each is in one of the four counts.',
  }),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  failed: z.int(),
  created_by: z.strictObject({
    type: z.string(),
    id: z.string().nullable(),
    name: z.string(),
  }),
  started_at: time.nullable(),
  finished_at: time.nullable(),
  created_at: time,
});

export const importRowView = z.strictObject({
  line: z.int().meta({ description: 'The line in the file; the header is line 1.' }),
  outcome: z
    .enum(IMPORT_OUTCOMES)
    .nullable()
    .meta({ description: 'Null until the row was processed.' }),
  contact_id: z.string().nullable(),
  problems: z.array(
    z.strictObject({
      path: z.string(),
      rule: z.string(),
      message: z.string(),
      limit: z.number().optional(),
      allowed: z.array(z.union([z.string(), z.number()])).optional(),
    }),
  ),
});

export const importFilters = z.strictObject({ outcome: z.enum(IMPORT_OUTCOMES).optional() });

export type ImportView = z.input<typeof importView>;
export type ImportRowView = z.input<typeof importRowView>;
export type ImportFilters = z.output<typeof importFilters>;
export type NewContact = z.output<typeof newContactBody>;
export type ImportFields = z.output<typeof importRow>;
export type ContactPatch = z.output<typeof contactPatchBody>;
export type ContactFilters = z.output<typeof contactFilters>;
export type ContactView = z.input<typeof contactView>;
