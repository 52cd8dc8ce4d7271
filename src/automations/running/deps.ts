import type { Clock } from '../../db/clock.ts';
import type { ContextFor } from '../../db/contexts.ts';
import type { EffectDeps } from './effect.ts';

/** What running needs in addition to what effects need. */
export interface RunDeps extends EffectDeps {
  readonly contextFor: ContextFor;
  readonly clock: Clock;
}
