import { z } from 'zod';
import { rules } from './conditions.ts';
import { refuse } from './parts.ts';

const REENTRY = ['always', 'never', 'after_days'] as const;

/** Who may enter when the trigger fires, and how often. */
export const entry = z
  .strictObject({
    conditions: rules.nullable().default(null),
    reentry: z.enum(REENTRY).default('always'),
    reentry_days: z.int().min(1).max(365).nullable().default(null),
    skip_if_handled_by_member: z.boolean().default(true),
    priority: z.int().min(0).max(100).default(0).meta({
      description: 'Of two runs that wait for a reply in a conversation, the higher one gets it.',
    }),
  })
  .superRefine(({ reentry, reentry_days }, ctx) => {
    const days = reentry === 'after_days';
    if (days && reentry_days === null)
      refuse(ctx, ['reentry_days'], { rule: 'required' }, 'Say after how many days.');
    if (!days && reentry_days !== null)
      refuse(ctx, ['reentry_days'], { rule: 'not_applicable' }, 'Only after_days uses this field.');
  })
  .meta({ id: 'AutomationEntry' });
