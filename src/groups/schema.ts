import { z } from 'zod';
import { recordId } from '../http/fields.ts';

const time = z.iso.datetime();

/** The specification's Group; `left_at` is null while we are in it (design decisions §23). */
export const groupView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    members: z.int().meta({
      description:
        'How many others are in it, as said when it was added by hand; 0 for a group that WhatsApp told of.',
    }),
    number_id: z.string(),
    conversation_id: z.string(),
    left_at: time
      .nullable()
      .meta({ description: 'Since when the number is no longer in it; null while it is.' }),
    created_at: time,
  })
  .meta({ id: 'Group' });

export const groupFilters = z.strictObject({
  number_id: recordId.optional(),
  active: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Whether we are still in the group.' }),
});

export type GroupView = z.input<typeof groupView>;
export type GroupFilters = z.output<typeof groupFilters>;
