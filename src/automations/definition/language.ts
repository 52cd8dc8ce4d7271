import { z } from 'zod';
import { asStored } from '../../http/fields.ts';
import { doing } from './doing.ts';
import { entry } from './entry.ts';
import { flow } from './flow.ts';
import { talking } from './talking.ts';
import { trigger } from './triggers.ts';

const MAX_STEPS = 100;

/** One step of an automation (design decisions §9). */
export const step = z
  .discriminatedUnion('type', [...talking, ...flow, ...doing])
  .meta({ id: 'AutomationStep' });

export type Step = z.output<typeof step>;

/** The definition of an automation; a run begins at the first step. */
export const definitionFields = {
  trigger,
  entry,
  steps: z.array(step).min(1).max(MAX_STEPS),
};

/** The same in an answer, which shows whatever is stored. */
export const storedFields = {
  trigger: asStored(trigger),
  entry: asStored(entry),
  steps: z.array(asStored(step)),
};

const definition = z.strictObject(definitionFields);

export type Definition = z.output<typeof definition>;
