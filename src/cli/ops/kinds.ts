import { cancelRunByOperator } from '../../automations/runs.ts';
import { cancelCampaignByOperator } from '../../campaigns/states/by-itself.ts';
import { cancelImportByOperator } from '../../contacts/imports/steps.ts';
import type { Context } from '../../context.ts';
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
import { cancelReminderByOperator } from '../../reminders/cancelling.ts';
import { holdBacklog } from '../../webhooks/lanes/backlog/backlog.ts';
import { cancelDelivery } from '../../webhooks/lanes/retries/retries.ts';

/** What the row of a record says. */
export interface Found {
  readonly status: string;
  /** In words, without personal data. */
  readonly says: string;
  /**
   * `must`: nothing continues without its workflow. `may`: it continues either way. `not`: nothing is left to do, so
   * the workflow would end by itself.
   */
  readonly workflow: 'must' | 'may' | 'not';
  /** Whether its workflow should have come a minute ago; null or absent where nothing has a time. */
  readonly overdue?: boolean | null;
  /** Of a delivery; empty for anything else. */
  readonly endpointId: string;
  readonly eventId: string;
}

/** A kind of things that have workflows. */
export interface Kind {
  readonly kind: string;
  readonly prefix: string;
  /** The table in which the workspace of an id is looked up. */
  readonly table: string;
  readonly query: string;
  readonly start: (organizationId: string, id: string, found: Found) => Start;
  /** Where a signal alone does not reach its workflow. */
  readonly wake?: (organizationId: string, id: string) => Reaction;
  /**
   * As Cancel in the Temporal UI does it (architecture, Workflows). An automation has no row to end: its runs end at
   * their next step in any case.
   */
  readonly end?: (ctx: Context, id: string) => Promise<unknown>;
}

/** SQL: whether what was due then is late, by more than a busy worker explains. */
const isLate = (due: string): string => `${due} < now() - interval '1 minute'`;

/** Each selects what it found for the record $2 of workspace $1. */
export const KINDS: readonly Kind[] = [
  {
    kind: 'campaign',
    prefix: 'cmp',
    table: 'campaigns',
    query: `select status, status || coalesce(', ' || pause_reason, '') || coalesce(', started ' || started_at::text, '')
        || coalesce(', scheduled for ' || send_at::text, '') as says,
      case when status in ('scheduled', 'sending') then 'must' when status = 'paused' then 'may' else 'not' end as workflow,
      status = 'scheduled' and ${isLate('send_at')} as overdue
      from campaigns where organization_id = $1 and id = $2`,
    start: (organizationId, id) => startCampaign(organizationId, id),
    end: cancelCampaignByOperator,
  },
  {
    kind: 'delivery',
    prefix: 'dlv',
    table: 'webhook_deliveries',
    query: `select status, status || ' after ' || attempts || ' attempts'
        || case when round > 1 then ', ' || round_attempts || ' of them since it was resent' else '' end || coalesce(', next ' || next_attempt_at::text, '')
        || case when in_backlog then ', in the backlog of its endpoint' when owned_by_workflow or finished_at is not null then ''
             else ', in the lane of attempts, which needs no workflow' end || coalesce(', ' || error, '')
        || case when exists (select from webhook_endpoints e
             where e.organization_id = $1 and e.id = endpoint_id and e.deleted_at is not null)
           then ', its endpoint is deleted' else '' end as says,
      case when finished_at is not null then 'not' when owned_by_workflow then 'must' else 'may' end as workflow,
      owned_by_workflow and ${isLate('next_attempt_at')} as overdue, endpoint_id as "endpointId", event_id as "eventId"
      from webhook_deliveries where organization_id = $1 and id = $2`,
    start: (organizationId, deliveryId, { endpointId, eventId }) =>
      startDelivery(organizationId, { deliveryId, endpointId, eventId }),
    end: cancelDelivery,
  },
  {
    kind: 'endpoint',
    prefix: 'whk',
    table: 'webhook_endpoints',
    query: `select case when deleted_at is not null then 'deleted' else status end as status,
      case when deleted_at is not null then 'deleted' else status end || ', ' || failures_in_row || ' failures in a row'
        || coalesce(', its backlog is checked at ' || drain_at::text, ', its backlog needs no check')
        || coalesce(', what waited was held back by an operator at ' || backlog_held_at::text, '') as says,
      case when drain_at is null then 'not' else 'must' end as workflow, ${isLate('drain_at')} as overdue
      from webhook_endpoints where organization_id = $1 and id = $2`,
    start: startDrain,
    end: holdBacklog,
  },
  {
    kind: 'import',
    prefix: 'imp',
    table: 'contact_imports',
    query: `select status, status || ', begun ' || created_at::text as says,
      case when status in ('pending', 'running') then 'must' else 'not' end as workflow
      from contact_imports where organization_id = $1 and id = $2`,
    start: startImport,
    end: cancelImportByOperator,
  },
  {
    kind: 'run',
    prefix: 'run',
    table: 'automation_runs',
    query: `select status, status || coalesce(' at step ' || current_step_id, '') || coalesce(', until ' || wait_until::text, '') as says,
      case when status = 'waiting' and lane_at is null then 'must' when status in ('waiting', 'running') then 'may'
        else 'not' end as workflow,
      status = 'waiting' and ${isLate('wait_until')} as overdue
      from automation_runs where organization_id = $1 and id = $2`,
    start: (organizationId, id) => startRun(organizationId, id),
    wake: wakeRun,
    end: cancelRunByOperator,
  },
  {
    kind: 'reminder',
    prefix: 'rem',
    table: 'reminders',
    query: `select status, status || coalesce(', next run ' || next_run_at::text, '') || coalesce(', ' || cancel_reason, '') as says,
      case when wakes_at is not null then 'must' when looks_at is not null then 'may' else 'not' end as workflow,
      ${isLate('looks_at')} as overdue
      from reminders where organization_id = $1 and id = $2`,
    start: (organizationId, id) => startReminder(organizationId, id),
    wake: wakeReminder,
    end: cancelReminderByOperator,
  },
  {
    kind: 'automation',
    prefix: 'atm',
    table: 'automations',
    query: `select a.status, a.status || ', ' || count(r.id) || ' runs go on'
        || case when count(r.id) filter (where r.version <= a.stopped_version) > 0
             then ', ' || count(r.id) filter (where r.version <= a.stopped_version) || ' of them are to end' else '' end as says,
      case when count(r.id) filter (where r.version <= a.stopped_version) > 0 then 'must' else 'not' end as workflow
      from automations a left join automation_runs r on r.organization_id = a.organization_id and r.automation_id = a.id
        and r.status in ('running', 'waiting')
      where a.organization_id = $1 and a.id = $2 group by a.organization_id, a.id`,
    start: startDeactivation,
  },
];
