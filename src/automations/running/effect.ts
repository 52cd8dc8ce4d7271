import type { AiClient } from '../../ai/client.ts';
import type { Context } from '../../context.ts';
import type { Log } from '../../log.ts';
import type { SafeSender } from '../../net/sender.ts';
import type { Step } from '../definition/language.ts';
import type { RUN_ERRORS } from '../rules.ts';
import type { Run, WaitsFor } from './run.ts';
import type { StepNote } from './writing.ts';

/** What effects may use beside the transaction. */
export interface EffectDeps {
  readonly sender: SafeSender;
  /** Absent where no AI is configured. */
  readonly ai?: AiClient | undefined;
  readonly log: Log;
}

/** What a step leaves for later ones, as `step.<id>.answer`; shown with the run. */
export type Output = Readonly<Record<string, string | number | boolean | null>>;

/** What came of a step, or of looking at one that waits. */
export type Outcome =
  /** Done. `to` null ends the run in success. */
  | { readonly kind: 'next'; readonly to: string | null; readonly output?: Output }
  /** Stays at the step until then, or until what it waits for comes. */
  | {
      readonly kind: 'wait';
      readonly for: Exclude<WaitsFor, 'nothing'>;
      readonly until: Date;
      /** What it waits for may become so by the clock, then at the earliest. */
      readonly lookAt?: Date;
      readonly output?: Output;
    }
  /**
   * Somebody else's server is asked outside of the transaction. `heard` is the latest message that the request
   * has taken in: it wakes nobody any more.
   */
  | { readonly kind: 'call'; readonly request: unknown; readonly heard?: string | null }
  | { readonly kind: 'end'; readonly status: 'succeeded' | 'handed_over'; readonly output?: Output }
  | {
      readonly kind: 'fail';
      readonly code: (typeof RUN_ERRORS)[number];
      readonly message: string;
    };

/** What a step that waited is woken by. */
export type Wake =
  | { readonly by: 'time' }
  /** The time limit of a wait for a reply or a condition. */
  | { readonly by: 'timeout' }
  | { readonly by: 'reply'; readonly message: Reply }
  /** It waits for a condition: look whether it holds. */
  | { readonly by: 'look' };

/** What a contact answered: a message of theirs. */
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
  /** Which step of the run this is, from 1: with the run's id it names the effect for ever. */
  readonly seq: number;
  /** What the step has left so far. */
  readonly output: Output;
  /** Who takes the step: the lane, or the run's own workflow, which needs no telling. */
  readonly by: 'lane' | 'workflow';
  /** Quiet steps that follow may be taken with this one, in one go. */
  readonly together: boolean;
  /** Steps taken in this go that are written down with this one. */
  readonly before: readonly StepNote[];
}

/** How one kind of step works. Everything it writes joins the transaction that records the step. */
export interface Effect<S extends Step = Step> {
  /** It never fails after it has written something, so nothing of it ever has to be undone. */
  readonly isWhole?: true;
  /** Entering it reads and writes nothing. */
  readonly entersFreely?: true;
  enter(at: AtStep<S>): Promise<Outcome> | Outcome;
  /** For steps that wait. */
  wake?(at: AtStep<S>, wake: Wake): Promise<Outcome> | Outcome;
  /** For steps that answered `call`: asks, outside of any transaction. It may run twice after a crash. */
  call?(deps: EffectDeps, request: unknown, key: string): Promise<unknown>;
  /** What the answer of `call` means, in the step's transaction. */
  called?(at: AtStep<S>, answer: unknown): Promise<Outcome> | Outcome;
}

type StepType = Step['type'];
export type StepOf<T extends StepType> = Extract<Step, { readonly type: T }>;

/** A step's effect by its type; each file of `effects/` has some of them. */
export type Effects = { readonly [T in StepType]?: Effect<StepOf<T>> };
