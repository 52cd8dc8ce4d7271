import { z } from 'zod';
import { recordId } from '../http/fields.ts';

/** An approved template of a number that can be sent (design decisions §1). */
export const templateView = z
  .strictObject({
    name: z.string(),
    language: z.string(),
    category: z.string(),
    number_id: z.string(),
    body: z
      .string()
      .meta({ description: 'The text, with {{1}} or {{name}} where a parameter goes.' }),
    parameters: z.int().meta({
      description:
        'How many parameters the body takes: numbered ones in the order of their numbers, named ones in the order in which they first appear.',
    }),
  })
  .meta({ id: 'Template' });

export const templateFilters = z.strictObject({
  number_id: recordId.optional(),
});

export type TemplateView = z.input<typeof templateView>;
export type TemplateFilters = z.output<typeof templateFilters>;
