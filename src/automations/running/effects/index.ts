import type { Step } from '../../definition/language.ts';
import type { Effect, Effects } from '../effect.ts';
import { flow } from './flow.ts';
import { talking } from './talking.ts';

/** What each kind of step does. */
const effects: Effects = { ...flow, ...talking };

export const effectOf = (step: Step): Effect | null =>
  (effects[step.type] as Effect | undefined) ?? null;
