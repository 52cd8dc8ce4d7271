import { z } from 'zod';
import { type RuleProblem, ruleProblems, type Vocabulary } from './checking.ts';
import { MAX_VALUES, OPS, type Rules } from './rules.ts';

interface Language extends Vocabulary {
  /** Its name in the OpenAPI document. */
  readonly id: string;
  readonly description: string;
}

/**
 * Rules of the language of design decisions §11 (groups 4 deep, 50 conditions) over these fields. Each problem names
 * its place.
 */
export const rulesIn = ({ id, description, ...vocabulary }: Language) =>
  z
    .custom<Rules>()
    .superRefine((value, ctx) => {
      for (const { path, message, rule, limit, allowed } of problemsOf(value, vocabulary)) {
        const params = { rule, limit, allowed };
        ctx.addIssue({ code: 'custom', path: [...path], message, params });
      }
    })
    .meta({ id, description, override: described(vocabulary.names) });

const problemsOf = (value: unknown, vocabulary: Vocabulary): readonly RuleProblem[] =>
  value === undefined
    ? [{ path: [], rule: 'required', message: 'This field is required.' }]
    : ruleProblems(value, vocabulary);

/** For the OpenAPI document only; the exact rules are in `ruleProblems`. */
const described = (names: readonly string[]) => ({
  type: 'object' as const,
  properties: {
    all: { type: 'array' as const, items: { type: 'object' as const } },
    any: { type: 'array' as const, items: { type: 'object' as const } },
    not: { type: 'object' as const },
    field: { type: 'string' as const, description: names.join(', ') },
    op: { type: 'string' as const, enum: [...new Set(Object.values(OPS).flat())] },
    value: { description: `What the operation compares with; a list holds 1 to ${MAX_VALUES}.` },
  },
  additionalProperties: false,
});
