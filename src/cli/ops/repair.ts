import { cancelRunByOperator } from '../../automations/runs.ts';
import { cancelCampaignByOperator } from '../../campaigns/states/by-itself.ts';
import { cancelImportByOperator } from '../../contacts/imports/steps.ts';
import {
  type Reaction,
  type Start,
  startCampaign,
  startDeactivation,
  startDelivery,
  startDrain,
  startImport,
  startReminder,
  startRun,
  wakeReminder,
  wakeRun,
} from '../../relay/reactions.ts';
import { createTemporalCalls } from '../../relay/temporal-calls.ts';
import { cancelReminderByOperator } from '../../reminders/cancelling.ts';
import type { Temporal } from '../../temporal/connection.ts';
import { holdBacklog } from '../../webhooks/lanes/backlog/backlog.ts';
import { cancelDelivery } from '../../webhooks/lanes/retries/retries.ts';
import { CommandError } from '../output.ts';
import type { Session } from '../session.ts';
import type { Row } from './rows.ts';
import type { Repair } from './verdict.ts';

interface RepairParts {
  readonly session: Session;
  readonly temporal: Temporal;
}

/** Brings row and workflow into agreement. Ending something twice, or starting what runs already, changes nothing. */
export async function repair(
  { session, temporal }: RepairParts,
  row: Row,
  how: Repair,
): Promise<void> {
  const { config, baseUrl } = session;
  const calls = createTemporalCalls(temporal.client, config.TEMPORAL_TASK_QUEUE, { baseUrl });
  if (how === 'start') await calls.perform({ kind: 'start', ...startOf(row) });
  if (how === 'end') await endRow(session, row);
  // A sleeping workflow must be told that its row has ended.
  if (how === 'end' || how === 'wake') await calls.perform(wakeOf(row));
}

function wakeOf({ kind, id, organizationId, workflowId }: Row): Reaction {
  if (kind === 'run') return wakeRun(organizationId, id);
  if (kind === 'reminder') return wakeReminder(organizationId, id);
  return { kind: 'wake', workflowId };
}

function startOf({ kind, id, organizationId, endpointId = '', eventId = '' }: Row): Start {
  switch (kind) {
    case 'campaign':
      return startCampaign(organizationId, id);
    case 'delivery':
      return startDelivery(organizationId, { deliveryId: id, endpointId, eventId });
    case 'endpoint':
      return startDrain(organizationId, id);
    case 'import':
      return startImport(organizationId, id);
    case 'run':
      return startRun(organizationId, id);
    case 'reminder':
      return startReminder(organizationId, id);
    case 'automation':
      return startDeactivation(organizationId, id);
  }
}

/** As in the table of cancels (architecture, Workflows). */
async function endRow(session: Session, row: Row): Promise<void> {
  const { kind, id, organizationId, endpointId = '', eventId = '' } = row;
  const ctx = await session.contextFor(organizationId);
  const parts = { database: session.database, clock: { now: () => ctx.now, skewMs: 0 } };
  switch (kind) {
    case 'campaign':
      return cancelCampaignByOperator(ctx, id);
    case 'delivery':
      return cancelDelivery(parts, { organizationId, deliveryId: id, endpointId, eventId });
    case 'endpoint':
      return holdBacklog(parts, { organizationId, endpointId: id });
    case 'import':
      return cancelImportByOperator(ctx, id);
    case 'run':
      return cancelRunByOperator(ctx, id);
    case 'reminder':
      return cancelReminderByOperator(ctx, id);
    case 'automation':
      throw new CommandError('Its runs end at their next step; there is no row to end.');
  }
}
