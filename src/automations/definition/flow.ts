import { z } from 'zod';
import { localTime, recordId } from '../../http/fields.ts';
import { rules } from './conditions.ts';
import { duration, next, refuse, stepId, weekday } from './parts.ts';

/** Waits for a duration, or until the next such time of day in the contact's zone. */
const wait = z
  .strictObject({
    id: stepId,
    type: z.literal('wait'),
    duration: duration.nullable().default(null),
    until: localTime.nullable().default(null),
    weekdays: z.array(weekday).max(7).default([]).meta({
      description: 'With `until`: only these days; empty: every day.',
    }),
    next,
  })
  .superRefine((step, ctx) => {
    if ((step.duration === null) === (step.until === null))
      refuse(ctx, ['duration'], { rule: 'exactly_one' }, 'Give either duration or until.');
    if (step.until === null && step.weekdays.length > 0)
      refuse(ctx, ['weekdays'], { rule: 'not_applicable' }, 'Only until has weekdays.');
  });

const waitUntil = z.strictObject({
  id: stepId,
  type: z.literal('wait_until'),
  when: rules,
  timeout: duration,
  next,
  on_timeout: next,
});

/** The first case whose condition holds; `else` if none does. */
const branch = z.strictObject({
  id: stepId,
  type: z.literal('branch'),
  cases: z
    .array(z.strictObject({ when: rules, next }))
    .min(1)
    .max(10),
  else: next,
});

/** Picks at random by weight, once for each contact. */
const split = z.strictObject({
  id: stepId,
  type: z.literal('split'),
  branches: z
    .array(z.strictObject({ weight: z.int().min(1).max(1000), next }))
    .min(2)
    .max(10),
});

const startAutomation = z.strictObject({
  id: stepId,
  type: z.literal('start_automation'),
  automation_id: recordId,
  next,
});

/** Jumps to a step, a limited number of times per run; after that it continues with `next`. */
const goTo = z.strictObject({
  id: stepId,
  type: z.literal('go_to'),
  to: stepId,
  max_times: z.int().min(1).max(100),
  next,
});

const end = z.strictObject({ id: stepId, type: z.literal('end') });

/** Steps that decide what comes next, and when. */
export const flow = [wait, waitUntil, branch, split, startAutomation, goTo, end] as const;
