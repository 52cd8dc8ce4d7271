import type { AiClient } from '../../ai/client.ts';
import type { Context } from '../../context.ts';
import type { Log } from '../../log.ts';
import type { SafeSender } from '../../net/sender.ts';
import type { Step } from '../definition/language.ts';
import type { RUN_ERRORS, RUN_STEP_STATUSES } from '../rules.ts';
import type { Run, WaitsFor } from './run.ts';

/** The result of a step, to be recorded. */
export interface StepNote {
  readonly seq: number;
  readonly stepId: string;
  readonly type: string;
  readonly status: (typeof RUN_STEP_STATUSES)[number];
  readonly output: unknown;
  readonly ended: boolean;
}

/** What effects may use besides the transaction. */
export interface EffectDeps {
  readonly sender: SafeSender;
  /** Absent if no AI is configured. */
  readonly ai?: AiClient | undefined;
  readonly log: Log;
}

/** A step's output for later ones, as `step.<id>.answer`; shown with the run. */
export type Output = Readonly<Record<string, string | number | boolean | null>>;

/** The result of a step, or of checking one that waits. */
export type Outcome =
  /** Done. If `to` is null, the run ends successfully. */
  | { readonly kind: 'next'; readonly to: string | null; readonly output?: Output }
  /** Stays at the step until then, or until what it waits for happens. */
  | {
      readonly kind: 'wait';
      readonly for: Exclude<WaitsFor, 'nothing'>;
      readonly until: Date;
      /** If what it waits for depends on time: the earliest moment at which that may happen. */
      readonly lookAt?: Date;
      readonly output?: Output;
    }
  /**
   * A call to another server, made outside the transaction. `heard` is the latest message that the request includes;
   * that message wakes nothing any more.
   */
  | { readonly kind: 'call'; readonly request: unknown; readonly heard?: string | null }
  | { readonly kind: 'end'; readonly status: 'succeeded' | 'handed_over'; readonly output?: Output }
  | {
      readonly kind: 'fail';
      readonly code: (typeof RUN_ERRORS)[number];
      readonly message: string;
    };

/** What wakes a waiting step. */
export type Wake =
  | { readonly by: 'time' }
  /** The time limit of waiting for a reply or a condition. */
  | { readonly by: 'timeout' }
  | { readonly by: 'reply'; readonly message: Reply }
  /** It waits for a condition, which should be checked. */
  | { readonly by: 'look' };

/** A contact's answer: one of their messages. */
export interface Reply {
  readonly id: string;
  readonly text: string;
  readonly type: string;
}

/** A run at one of its steps, in the step's transaction; the context acts as the automation. */
export interface AtStep<S extends Step = Step> {
  readonly tx: Context;
  readonly run: Run;
  readonly step: S;
  /** The number of this step in the run, from 1. Together with the run's id it identifies the effect for good. */
  readonly seq: number;
  /** The step's output so far. */
  readonly output: Output;
  /** Who takes the step: the lane, or the run's own workflow, which need not be told. */
  readonly by: 'lane' | 'workflow';
  /** Whether the following quiet steps may be taken along with this one. */
  readonly together: boolean;
  /** Steps taken in the same transaction, to be recorded along with this one. */
  readonly before: readonly StepNote[];
}

/** How one kind of step works. Everything it writes is in the transaction that records the step. */
export interface Effect<S extends Step = Step> {
  /** It never fails after writing something, so nothing ever has to be rolled back. */
  readonly isWhole?: true;
  /** Entering it reads and writes nothing. */
  readonly entersFreely?: true;
  enter(at: AtStep<S>): Promise<Outcome> | Outcome;
  /** For steps that wait. */
  wake?(at: AtStep<S>, wake: Wake): Promise<Outcome> | Outcome;
  /** For steps that returned `call`: makes the call, outside any transaction. May run twice after a crash. */
  call?(deps: EffectDeps, request: unknown, key: string): Promise<unknown>;
  /** Interprets the answer of `call`, in the step's transaction. */
  called?(at: AtStep<S>, answer: unknown): Promise<Outcome> | Outcome;
}

type StepType = Step['type'];
export type StepOf<T extends StepType> = Extract<Step, { readonly type: T }>;

/** The effects by step type; each file in `effects/` contains some of them. */
export type Effects = { readonly [T in StepType]?: Effect<StepOf<T>> };
