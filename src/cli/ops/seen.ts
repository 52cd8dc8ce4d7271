import { WorkflowNotFoundError } from '@temporalio/client';
import { PERSON_WAITS_MS, type Temporal } from '../../temporal/connection.ts';

type State =
  | 'running'
  | 'missing'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'terminated'
  | 'timed_out';

/** What Temporal says about one workflow. */
export interface Seen {
  readonly state: State;
  readonly since: string | null;
  readonly closedAt: string | null;
  /** What operators filter by, as the workflow last set it. */
  readonly stage: string | null;
  readonly nextAt: string | null;
  /** Why it makes no progress although it runs; null if nothing is known to be wrong. */
  readonly trouble: string | null;
}

const MISSING: Seen = {
  state: 'missing',
  since: null,
  closedAt: null,
  stage: null,
  nextAt: null,
  trouble: null,
};

const STATES: Readonly<Record<string, State>> = {
  RUNNING: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed_out',
};

/** The newest execution with this id. */
export async function lookAt({ client }: Temporal, workflowId: string): Promise<Seen> {
  try {
    const found = await client.withDeadline(Date.now() + PERSON_WAITS_MS, () =>
      client.workflow.getHandle(workflowId).describe(),
    );
    const { searchAttributes: told } = found;
    return {
      state: STATES[found.status.name] ?? 'failed',
      since: found.startTime.toISOString(),
      closedAt: found.closeTime?.toISOString() ?? null,
      stage: told['WmsStage']?.[0]?.toString() ?? null,
      nextAt: momentOf(told['WmsNextAt']?.[0]),
      trouble: troubleOf(found.raw),
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return MISSING;
    throw error;
  }
}

/** A cleared attribute is read as the beginning of 1970. */
const momentOf = (value: unknown): string | null =>
  value instanceof Date && value.getTime() > 0 ? value.toISOString() : null;

type Raw = Awaited<
  ReturnType<ReturnType<Temporal['client']['workflow']['getHandle']>['describe']>
>['raw'];

/** A task repeated this often does not recover by itself. */
const PATIENCE = 3;

function troubleOf({ pendingWorkflowTask, pendingActivities }: Raw): string | null {
  const task = pendingWorkflowTask?.attempt ?? 0;
  if (task > PATIENCE)
    return `its workflow task was tried ${task} times: the worker's code does not fit its history. Roll back (docs/operations.md, replay failure)`;
  const paused = pendingActivities?.find((activity) => activity.paused);
  if (paused)
    return `its activity ${paused.activityType?.name} is paused: Unpause it in the Temporal UI`;
  const late = (pendingActivities ?? []).find(({ attempt }) => (attempt ?? 0) > PATIENCE);
  if (!late) return null;
  const reason = late.lastFailure?.message ?? 'no answer';
  return `its activity ${late.activityType?.name} was tried ${late.attempt} times: ${reason}`;
}
