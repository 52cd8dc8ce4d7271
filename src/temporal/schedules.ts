import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { wordsOf } from './words.ts';

interface Upkeep {
  readonly name: string;
  /** A workflow of `workflows/`. */
  readonly workflow: string;
  /** The minute of each hour, or the minutes between two runs. */
  readonly minute: number | { readonly every: number };
  readonly summary: string;
}

/** The service's own periodic work: each is a workflow that an operator finds as `upkeep:{name}`. */
export const UPKEEP: readonly Upkeep[] = [
  {
    name: 'reports',
    workflow: 'rollUpReports',
    minute: 7,
    summary: 'Writes down the figures of the days that are over',
  },
  {
    name: 'webhook-history',
    workflow: 'dropWebhookHistory',
    minute: 17,
    summary: 'Drops what was delivered more than 30 days ago',
  },
  {
    name: 'old-secrets',
    workflow: 'forgetOldSecrets',
    minute: 27,
    summary: 'Removes previous webhook secrets that sign no more',
  },
  {
    name: 'authorization',
    workflow: 'tendAuthorization',
    minute: 32,
    summary:
      'Removes codes, tokens, unused clients and sign-ins that are past, and moves the signing keys on',
  },
  {
    name: 'listeners',
    workflow: 'endListeners',
    minute: 47,
    summary: 'Ends the listeners of wms listen that were not started for a week',
  },
  {
    name: 'keys',
    workflow: 'rotateKeys',
    minute: 37,
    summary: 'Encrypts with the active key what an older one encrypted',
  },
  {
    name: 'message-history',
    workflow: 'dropMessageHistory',
    minute: 52,
    summary: 'Deletes messages and files that are older than the plan keeps them',
  },
  {
    name: 'expiring-keys',
    workflow: 'warnExpiringKeys',
    minute: 3,
    summary: 'Writes into the log which API keys end soon',
  },
  {
    name: 'numbers',
    workflow: 'checkNumbers',
    minute: { every: 1 },
    summary: 'Looks at the health of numbers, and moves those that are not as they should be',
  },
  {
    name: 'idle-closing',
    workflow: 'closeIdleConversations',
    minute: { every: 5 },
    summary: 'Closes conversations without a message for as long as their workspace has set',
  },
  {
    name: 'automations',
    workflow: 'startDueAutomations',
    minute: { every: 1 },
    summary: 'Starts automations whose time has come',
  },
  {
    name: 'assignments',
    workflow: 'tendAssignments',
    minute: { every: 1 },
    summary: 'Passes on conversations not answered in time, and assigns what waits in queues',
  },
];

const LAST_MINUTE = 59;

/** Runs that repeat within minutes need not be caught up on after an outage: the next one covers everything. */
const timesOf = (minute: Upkeep['minute']) =>
  typeof minute === 'number'
    ? { calendar: { hour: '*', minute } as const, catchupWindow: '1 hour' as const }
    : {
        calendar: {
          hour: '*',
          minute: { start: 0, end: LAST_MINUTE, step: minute.every },
        } as const,
        catchupWindow: '1 minute' as const,
      };

/** Creates missing Schedules; one that an operator paused or changed stays as it is. */
export async function ensureSchedules(client: Client, taskQueue: string): Promise<void> {
  for (const { name, workflow, minute, summary } of UPKEEP) {
    const { calendar, catchupWindow } = timesOf(minute);
    try {
      await client.schedule.create({
        scheduleId: `upkeep:${name}`,
        spec: { calendars: [calendar] },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow },
        action: {
          type: 'startWorkflow',
          workflowType: workflow,
          workflowId: `upkeep:${name}`,
          taskQueue,
          args: [],
          ...wordsOf(summary),
        },
      });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    }
  }
}

/** One of the service's Schedules as the server has it. */
interface Known {
  readonly id: string;
  /** On which it starts its workflow; null where there is no such Schedule. */
  readonly taskQueue: string | null;
  readonly paused: boolean;
}

/** All that there should be. */
export const lookAtSchedules = (client: Client): Promise<Known[]> =>
  Promise.all(
    UPKEEP.map(async ({ name }) => {
      const id = `upkeep:${name}`;
      try {
        const { action, state } = await client.schedule.getHandle(id).describe();
        return { id, taskQueue: action.taskQueue, paused: state.paused };
      } catch (error) {
        if (error instanceof ScheduleNotFoundError) return { id, taskQueue: null, paused: false };
        throw error;
      }
    }),
  );

/** The queues, other than this one, on which Schedules start their workflows: no worker of ours may hear them. */
export const otherQueues = (schedules: readonly Known[], ours: string): string[] => {
  const queues = schedules.flatMap(({ taskQueue }) => taskQueue ?? []);
  return [...new Set(queues)].filter((queue) => queue !== ours).toSorted();
};
