import type { Step } from '../../definition/language.ts';
import type { Effect, Effects } from '../effect.ts';
import { ai } from './ai.ts';
import { asking } from './asking.ts';
import { calling } from './calling.ts';
import { doing } from './doing.ts';
import { flow } from './flow.ts';
import { reminding } from './reminding.ts';
import { talking } from './talking.ts';

/** The effect of each kind of step. */
const effects: Effects = {
  ...asking,
  ...flow,
  ...talking,
  ...doing,
  ...reminding,
  ...calling,
  ...ai,
};

/** Null for a kind of step that this release does not know. */
export const effectOf = (step: Step): Effect | null =>
  (effects[step.type] as Effect | undefined) ?? null;
