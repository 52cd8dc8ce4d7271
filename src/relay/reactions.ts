import type * as workflows from '../../workflows/index.ts';
import type { Commands, CommandType } from '../outbox/events.ts';

/** The workflows that facts start. */
type WorkflowName = Extract<
  keyof typeof workflows,
  | 'sendCampaign'
  | 'runAutomation'
  | 'runReminder'
  | 'deactivateAutomation'
  | 'deliverWebhook'
  | 'drainEndpoint'
  | 'importContacts'
>;

/** Starts a workflow, unless it is already running. */
export interface Start {
  readonly workflow: WorkflowName;
  readonly workflowId: string;
  readonly input: unknown;
  /** The record it is about, for the operator's filters. */
  readonly resourceId: string;
  readonly organizationId: string;
  /** One line, and further details, in words and without personal data. */
  readonly summary: string;
  readonly details: string;
  /** Its page in the console, relative to the workspace. */
  readonly page?: string;
  /** The stage by which operators list it from the start; `started` by default. */
  readonly stage?: string;
  /** When something happens next, if known. */
  readonly nextAt?: string;
  /**
   * Temporal keeps a new one asleep until then, unless it is started again, woken in this way or cancelled; no worker
   * knows about it.
   */
  readonly asleepUntil?: string;
  /** One that has ended is not started again. */
  readonly once?: true;
}

/** What one command sets in motion. */
export type Reaction =
  | ({ readonly kind: 'start' } & Start)
  /** Started, or woken if it is running, because it may be waiting for this very change. */
  | ({ readonly kind: 'startOrWake' } & Start)
  | { readonly kind: 'wake'; readonly workflowId: string };

/**
 * @param by the id of whoever started it, without a name, because nothing in the UI is personal
 */
export const startCampaign = (organizationId: string, campaignId: string, by?: string): Start => ({
  workflow: 'sendCampaign',
  workflowId: `campaign:${campaignId}`,
  input: { organizationId, campaignId },
  organizationId,
  resourceId: campaignId,
  page: `campaigns/${campaignId}`,
  summary: 'Sends a campaign to its audience',
  details:
    'Waits for its time, freezes the audience, then sends in batches at its pace. To hold it, pause the campaign in the ' +
    'API: the row decides. **Cancel** here ends the campaign: what is in flight settles, results are kept.' +
    (by ? ` Begun by \`${by}\`.` : ''),
});

/** The second and later attempts of a delivery: at `dueAt` (ISO 8601), or at once. */
export const startDelivery = (
  organizationId: string,
  { deliveryId, endpointId, eventId, dueAt, ...made }: Commands['delivery.retrying'],
): Start => ({
  workflow: 'deliverWebhook',
  workflowId: `delivery:${endpointId}:${eventId}`,
  input: {
    organizationId,
    deliveryId,
    endpointId,
    eventId,
    ...(dueAt ? { dueAt, ...made, isListed: true } : {}),
  },
  organizationId,
  resourceId: deliveryId,
  page: `webhooks/${endpointId}/deliveries/${deliveryId}`,
  ...(dueAt ? { stage: 'retrying', nextAt: dueAt } : {}),
  summary: 'Tries a webhook again until it is delivered',
  details:
    'Up to 12 attempts within 24 hours, 30 seconds after the first and then doubling. Signal `sendNow` to try at once. ' +
    '**Cancel** here ends the delivery as failed, `cancelled_by_operator`.',
});

/** The backlog of an endpoint that fails, is slow or was paused. */
export const startDrain = (organizationId: string, endpointId: string): Start => ({
  workflow: 'drainEndpoint',
  workflowId: `endpoint:${endpointId}`,
  input: { organizationId, endpointId },
  organizationId,
  resourceId: endpointId,
  page: `webhooks/${endpointId}`,
  summary: 'Brings the backlog of a webhook endpoint to its lane',
  details:
    'Releases what waits for the endpoint, oldest first and only as much as it takes; holds it while the endpoint is ' +
    'paused, and ends it when it is deleted. **Cancel** here leaves the rest held until the endpoint is resumed; what ' +
    'comes later goes out, and retries keep their times. To stop those too, pause the endpoint in the API.',
});

/** One file of contacts. */
export const startImport = (organizationId: string, importId: string): Start => ({
  workflow: 'importContacts',
  workflowId: `import:${importId}`,
  input: { organizationId, importId },
  organizationId,
  resourceId: importId,
  page: `contacts/imports/${importId}`,
  summary: 'Imports contacts from a file',
  details:
    'Takes rows in by batches of 500, each in one transaction with the outcomes of its rows. **Cancel** here stops the ' +
    'import: who is in stays in.',
});

/**
 * A run of an automation, from its first wait on.
 *
 * @param dueAt when it should be woken, ISO 8601
 */
export const startRun = (
  organizationId: string,
  runId: string,
  dueAt?: string,
  automationId?: string,
): Start => ({
  workflow: 'runAutomation',
  workflowId: `run:${runId}`,
  input: { organizationId, runId },
  organizationId,
  resourceId: runId,
  ...(automationId ? { page: `automations/${automationId}/runs/${runId}` } : {}),
  ...(dueAt ? { stage: 'waiting', nextAt: dueAt, asleepUntil: dueAt } : {}),
  summary: 'Follows an automation for one contact',
  details:
    'Takes the steps of the version it began with, and waits between them for times, replies and conditions. **Cancel** ' +
    'here ends the run as cancelled, between two steps; no `automation.failed` is told.',
});

/** Also wakes one that has not begun, which a signal alone does not reach. */
export const wakeRun = (organizationId: string, runId: string): Reaction => ({
  kind: 'startOrWake',
  ...startRun(organizationId, runId),
  once: true,
});

/** Ends all runs of a deactivated automation. */
export const startDeactivation = (organizationId: string, automationId: string): Start => ({
  workflow: 'deactivateAutomation',
  workflowId: `deactivate:${automationId}`,
  input: { organizationId, automationId },
  organizationId,
  resourceId: automationId,
  page: `automations/${automationId}`,
  summary: 'Ends the runs of an automation that was turned off',
  details:
    'Ends the runs that had begun by then, 200 at a time. **Cancel** here changes nothing for them: each ends at its next ' +
    'step all the same.',
});

/**
 * A reminder, from run to run.
 *
 * @param dueAt when the workflow checks, ISO 8601
 * @param nextAt when the reminder itself is due, which the UI shows
 */
export const startReminder = (
  organizationId: string,
  reminderId: string,
  dueAt?: string,
  nextAt = dueAt,
): Start => ({
  workflow: 'runReminder',
  workflowId: `reminder:${reminderId}`,
  input: { organizationId, reminderId },
  organizationId,
  resourceId: reminderId,
  page: `reminders/${reminderId}`,
  ...(dueAt && nextAt ? { stage: 'sleeping', nextAt, asleepUntil: dueAt } : {}),
  summary: 'Sends a reminder whenever it is due',
  details:
    'Sleeps until the next run, writes down who gets it, queues the messages at the pace of the number, and counts what ' +
    'became of them. **Cancel** here cancels the reminder: of a run under way those not sent to yet are left out.',
});

/** Also wakes one that Temporal keeps asleep, which a signal alone does not reach. */
export const wakeReminder = (organizationId: string, reminderId: string): Reaction => ({
  kind: 'startOrWake',
  ...startReminder(organizationId, reminderId),
  once: true,
});

/**
 * What each command sets in motion. Ids are derived from the fact, so relaying twice starts once. Events are not
 * here: each becomes a delivery for every subscribed endpoint (`webhooks/lanes/first-attempts/intake.ts`).
 */
export const reactions: {
  readonly [T in CommandType]: (organizationId: string, payload: Commands[T]) => Reaction;
} = {
  'import.started': (organizationId, { importId }) => ({
    kind: 'start',
    ...startImport(organizationId, importId),
  }),
  'campaign.started': (organizationId, { campaignId, by }) => ({
    kind: 'startOrWake',
    ...startCampaign(organizationId, campaignId, by),
  }),
  'campaign.changed': (_, { campaignId }) => ({
    kind: 'wake',
    workflowId: `campaign:${campaignId}`,
  }),
  // The workflow from before a resend may still be running, and must read the row again. After the first attempt
  // there is none.
  'delivery.retrying': (organizationId, delivery) => ({
    kind: delivery.attempts === 1 ? 'start' : 'startOrWake',
    ...startDelivery(organizationId, delivery),
  }),
  // Its workflow may not have been started yet, and the change must not wait for the workflow's time.
  'delivery.changed': (organizationId, delivery) => ({
    kind: 'startOrWake',
    ...startDelivery(organizationId, delivery),
  }),
  // One that is already asleep is not woken by the command that it was started for. That may come after the one for its
  // end, which had begun the workflow and ended it.
  'run.waiting': (organizationId, { runId, automationId, dueAt, isNew }) => ({
    ...startRun(organizationId, runId, dueAt, automationId),
    ...(isNew ? { kind: 'start', once: true } : { kind: 'startOrWake' }),
  }),
  'run.ended': (organizationId, { runId }) => wakeRun(organizationId, runId),
  'automation.stopped': (organizationId, { automationId }) => ({
    kind: 'startOrWake',
    ...startDeactivation(organizationId, automationId),
  }),
  'reminder.changed': (organizationId, { reminderId, dueAt, nextAt }) => ({
    ...startReminder(organizationId, reminderId, dueAt, nextAt),
    ...(dueAt ? { kind: 'start', once: true } : { kind: 'startOrWake' }),
  }),
  'endpoint.changed': (organizationId, { endpointId }) => ({
    kind: 'startOrWake',
    ...startDrain(organizationId, endpointId),
  }),
};
