import {
  type Client,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { Clock } from '../db/clock.ts';
import { wordsOf } from '../temporal/words.ts';
import type { Reaction, Start } from './reactions.ts';

export interface TemporalCalls {
  /** Resolves once it is done or unnecessary; rejects if it must be tried again. */
  perform(reaction: Reaction): Promise<void>;
}

/** Without a deadline, a start would wait through an outage, and everything behind it too. */
const DEADLINE_MS = 2_000;
const INVALID_ARGUMENT = 3;
const WAKE = 'wake';

const workspaceId = defineSearchAttributeKey('WmsWorkspaceId', 'KEYWORD');
const resourceId = defineSearchAttributeKey('WmsResourceId', 'KEYWORD');
const stage = defineSearchAttributeKey('WmsStage', 'KEYWORD');
const nextAt = defineSearchAttributeKey('WmsNextAt', 'DATETIME');

interface Ways {
  /** Business time, by which workflows sleep; this machine's time by default. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
  /** The service's address, so that each workflow links to its page in the console; no link by default. */
  readonly baseUrl?: string | undefined;
  /** How long a call may take; two seconds by default. */
  readonly deadlineMs?: number | undefined;
}

/** The only place that starts and signals workflows. */
export function createTemporalCalls(
  client: Client,
  taskQueue: string,
  { clock = { now: () => new Date() }, baseUrl, deadlineMs = DEADLINE_MS }: Ways = {},
): TemporalCalls {
  // In one paragraph: the UI shows about four lines, and the others on scrolling.
  const detailsOf = ({ details, page, organizationId }: Start): string =>
    baseUrl && page
      ? `${details} [Open in the console](${baseUrl}/console/${organizationId}/${page})`
      : details;

  const delayOf = ({ asleepUntil }: Start) => {
    const delayMs = asleepUntil ? Date.parse(asleepUntil) - clock.now().getTime() : 0;
    return delayMs > 0 ? { startDelay: delayMs } : {};
  };

  const options = (start: Start) => ({
    workflowId: start.workflowId,
    taskQueue,
    args: [start.input],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    // PostgreSQL decides whether anything is left to do, not the id.
    workflowIdReusePolicy: start.once
      ? ('REJECT_DUPLICATE' as const)
      : ('ALLOW_DUPLICATE' as const),
    // A task that died with its worker is given out again after 5 s instead of 10.
    workflowTaskTimeout: '5s',
    typedSearchAttributes: [
      { key: workspaceId, value: start.organizationId },
      { key: resourceId, value: start.resourceId },
      { key: stage, value: start.stage ?? 'started' },
      ...(start.nextAt ? [{ key: nextAt, value: new Date(start.nextAt) }] : []),
    ],
    ...wordsOf(start.summary, detailsOf(start)),
    // Kinds of work take turns, too: by priorities, one that waits for slow servers of others kept all that came after it
    // from ever having a slot.
    priority: { fairnessKey: `${start.organizationId}:${start.workflow}` },
  });

  async function call(reaction: Reaction): Promise<void> {
    if (reaction.kind === 'wake') {
      await client.workflow.getHandle(reaction.workflowId).signal(WAKE);
    } else if (reaction.kind === 'start') {
      const asleep = { ...options(reaction), ...delayOf(reaction) };
      await client.workflow.start(reaction.workflow, asleep);
    } else {
      const woken = { ...options(reaction), signal: WAKE, signalArgs: [] };
      await client.workflow.signalWithStart(reaction.workflow, woken);
    }
  }

  return {
    async perform(reaction) {
      try {
        await client.withDeadline(Date.now() + deadlineMs, () => call(reaction));
      } catch (error) {
        if (!isDone(error, reaction)) throw error;
      }
    },
  };
}

function isDone(error: unknown, reaction: Reaction): boolean {
  if (error instanceof WorkflowExecutionAlreadyStartedError) return true;
  if (reaction.kind === 'start') return false;
  // There is no workflow to wake; one started later reads the row.
  if (error instanceof WorkflowNotFoundError) return true;
  // It has received 10,000 signals, the most a workflow takes, and will look.
  const cause = error instanceof Error ? error.cause : undefined;
  return (
    isGrpcServiceError(cause) &&
    cause.code === INVALID_ARGUMENT &&
    /signal/i.test(cause.details ?? cause.message)
  );
}
