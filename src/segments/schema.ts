import { z } from 'zod';
import { nameUpTo } from '../http/fields.ts';
import { OF_SEGMENTS } from './checking.ts';
import { rulesIn } from './language.ts';
import { FIELD_NAMES, fieldNamed, MAX_CONDITIONS, MAX_DEPTH, OPS } from './rules.ts';

const named = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(' ');

/** Which operations each field takes, a line for each kind. */
const fieldsAndOps = (): string =>
  [...Map.groupBy(FIELD_NAMES, (name) => fieldNamed(name)?.kind ?? 'custom')]
    .map(([kind, names]) => `- ${named(names)}: ${named(OPS[kind])}`)
    .join('\n');

const LANGUAGE = `\`all\`, \`any\` or \`not\` of further rules, or one condition: \`field\`, \`op\` and \`value\`. Groups are at most ${MAX_DEPTH} deep, and there are at most ${MAX_CONDITIONS} conditions in all.

${fieldsAndOps()}

\`in_last\`, \`in_next\` and \`day_month_in_next\` take an ISO 8601 duration, as \`P90D\`; \`between\` a list of the first and the last; \`in\` and \`has_…\` a list; \`empty\` and \`not_empty\` nothing. A date without a time is that whole day in the workspace's time zone; \`day_month_in_next\` leaves the year out, as for birthdays. \`eq\`, \`neq\` and \`in\` of \`phone\` take whole phones, with + and the country code. A custom field is compared as the kind that \`value\` has. Each condition is asked by itself: that a deal is open and that one is worth much may hold for two deals of the contact. Who opted out never gets campaigns, whether the rules say so or not.`;

const rulesSchema = rulesIn({ id: 'SegmentRules', description: LANGUAGE, ...OF_SEGMENTS });

export const newSegmentBody = z.strictObject({ name: nameUpTo(80), rules: rulesSchema });
export const previewBody = z.strictObject({ rules: rulesSchema });

const time = z.iso.datetime();
const count = z.int().min(0);

export const createdView = z.strictObject({ id: z.string(), count });

/** A contact as returned in segment lists (specification); missing values are "". */
export const matchingView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    phone: z.string(),
    email: z.string(),
    opted_out: z.boolean(),
    created_at: time,
  })
  .meta({ id: 'SegmentContact' });

export const previewView = z.strictObject({ count, sample: z.array(matchingView).max(10) });

export const segmentView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    rules: z.record(z.string(), z.unknown()).meta({ description: 'As they were given.' }),
    count: count.nullable(),
    counted_at: time.nullable(),
    used_by: z.strictObject({ campaigns: count, reminders: count, automations: count }),
    status: z.enum(['draft', 'ready']),
    created_at: time,
  })
  .meta({ id: 'Segment' });

export type MatchingView = z.input<typeof matchingView>;
export type SegmentView = z.input<typeof segmentView>;
