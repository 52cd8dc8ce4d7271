import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';

/** What runs by the clock for the service itself: each a workflow an operator finds as `upkeep:{name}`. */
const UPKEEP = [
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
    name: 'listeners',
    workflow: 'endListeners',
    minute: 47,
    summary: 'Ends the listeners of wms listen that nobody ran for a week',
  },
  {
    name: 'keys',
    workflow: 'rotateKeys',
    minute: 37,
    summary: 'Encrypts with the active key what an older one encrypted',
  },
] as const;

/** Creates the Schedules that are missing; one that an operator paused or moved stays as it is. */
export async function ensureSchedules(client: Client, taskQueue: string): Promise<void> {
  for (const { name, workflow, minute, summary } of UPKEEP) {
    try {
      await client.schedule.create({
        scheduleId: `upkeep:${name}`,
        spec: { calendars: [{ hour: '*', minute }] },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 hour' },
        action: {
          type: 'startWorkflow',
          workflowType: workflow,
          workflowId: `upkeep:${name}`,
          taskQueue,
          args: [],
          staticSummary: summary,
        },
      });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    }
  }
}
