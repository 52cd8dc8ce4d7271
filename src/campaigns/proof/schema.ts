import { z } from 'zod';
import { shaped } from '../../http/fields.ts';
import { EXCLUSIONS } from '../rules.ts';
import { count, countsOf, time } from '../schema.ts';
import { OUTCOMES } from './chain.ts';

export const proofQuery = z.strictObject({
  after: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'The `next_after` of the previous page.' }),
  lines: shaped(/^-?\d+$/, 'Must be a whole number from 1 to 1000.')
    .default('100')
    .transform(Number)
    .pipe(z.number().min(1).max(1000))
    .meta({ description: 'How many lines, 1 to 1000.' }),
});

const hash = z.string().meta({
  description: 'SHA-256, hexadecimal. What is hashed is told in `/docs/verifying-proofs`.',
});

export const proofLine = z.strictObject({
  recipient_id: z.string(),
  outcome: z.enum(OUTCOMES),
  reason: z.string().nullable(),
  message_id: z.string().nullable(),
  settled_at: time.nullable(),
  hash,
});

export const proofView = z.strictObject({
  campaign_id: z.string(),
  total: count,
  eligible: count,
  excluded: countsOf(EXCLUSIONS),
  frozen_at: time.nullable(),
  lines: z.array(proofLine),
  next_after: z.string().nullable(),
  head: hash,
});

/** The first line of a proof's file, and its last one; between them there is one line per recipient. */
export const proofBeginning = proofView.pick({
  campaign_id: true,
  total: true,
  eligible: true,
  excluded: true,
  frozen_at: true,
});
export const proofEnding = z.strictObject({ head: hash, outcomes: countsOf(OUTCOMES) });

export type ProofView = z.input<typeof proofView>;
