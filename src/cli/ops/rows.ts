import { inWorkspace, sqlOver } from '../../db/database.ts';
import { first } from '../../db/sql.ts';
import { CommandError } from '../output.ts';
import type { Session } from '../session.ts';

/** The kinds of things that have workflows, as their workflow ids name them. */
type Kind = 'campaign' | 'delivery' | 'endpoint' | 'import' | 'run' | 'reminder' | 'automation';

/** What a row says about its workflow. */
export interface Row {
  readonly kind: Kind;
  readonly id: string;
  readonly organizationId: string;
  readonly workflowId: string;
  readonly status: string;
  /** In words, without personal data. */
  readonly says: string;
  /**
   * `must`: nothing continues without its workflow. `may`: it continues either way. `not`: nothing is left to do, so
   * the workflow would end by itself.
   */
  readonly workflow: 'must' | 'may' | 'not';
  /** For a delivery. */
  readonly endpointId?: string;
  readonly eventId?: string;
}

type Found = Pick<Row, 'status' | 'says' | 'workflow' | 'endpointId' | 'eventId'>;

interface KindOf {
  readonly kind: Kind;
  readonly prefix: string;
  /** The table in which the workspace of an id is looked up. */
  readonly table: string;
  readonly query: string;
}

/** Each selects `{status, says, workflow}` for the record $2 of workspace $1. */
const KINDS: readonly KindOf[] = [
  {
    kind: 'campaign',
    prefix: 'cmp',
    table: 'campaigns',
    query: `select status, status || coalesce(', ' || pause_reason, '') || coalesce(', started ' || started_at::text, '')
        || coalesce(', scheduled for ' || send_at::text, '') as says,
      case when status in ('scheduled', 'sending') then 'must' when status = 'paused' then 'may' else 'not' end as workflow
      from campaigns where organization_id = $1 and id = $2`,
  },
  {
    kind: 'delivery',
    prefix: 'dlv',
    table: 'webhook_deliveries',
    query: `select status, status || ' after ' || attempts || ' attempts' || coalesce(', next ' || next_attempt_at::text, '')
        || case when in_backlog then ', in the backlog of its endpoint' when owned_by_workflow or finished_at is not null then ''
             else ', in the lane of attempts, which needs no workflow' end || coalesce(', ' || error, '')
        || case when exists (select from webhook_endpoints e
             where e.organization_id = $1 and e.id = endpoint_id and e.deleted_at is not null)
           then ', its endpoint is deleted' else '' end as says,
      case when finished_at is not null then 'not' when owned_by_workflow then 'must' else 'may' end as workflow,
      endpoint_id as "endpointId", event_id as "eventId"
      from webhook_deliveries where organization_id = $1 and id = $2`,
  },
  {
    kind: 'endpoint',
    prefix: 'whk',
    table: 'webhook_endpoints',
    query: `select case when deleted_at is not null then 'deleted' else status end as status,
      case when deleted_at is not null then 'deleted' else status end || ', ' || failures_in_row || ' failures in a row'
        || coalesce(', its backlog is checked at ' || drain_at::text, ', its backlog needs no check')
        || coalesce(', what waited was held back by an operator at ' || backlog_held_at::text, '') as says,
      case when drain_at is null then 'not' else 'must' end as workflow
      from webhook_endpoints where organization_id = $1 and id = $2`,
  },
  {
    kind: 'import',
    prefix: 'imp',
    table: 'contact_imports',
    query: `select status, status || ', begun ' || created_at::text as says,
      case when status in ('pending', 'running') then 'must' else 'not' end as workflow
      from contact_imports where organization_id = $1 and id = $2`,
  },
  {
    kind: 'run',
    prefix: 'run',
    table: 'automation_runs',
    query: `select status, status || coalesce(' at step ' || current_step_id, '') || coalesce(', until ' || wait_until::text, '') as says,
      case when status = 'waiting' and lane_at is null then 'must' when status in ('waiting', 'running') then 'may'
        else 'not' end as workflow
      from automation_runs where organization_id = $1 and id = $2`,
  },
  {
    kind: 'reminder',
    prefix: 'rem',
    table: 'reminders',
    query: `select status, status || coalesce(', next run ' || next_run_at::text, '') || coalesce(', ' || cancel_reason, '') as says,
      case when wakes_at is not null then 'must' when looks_at is not null then 'may' else 'not' end as workflow
      from reminders where organization_id = $1 and id = $2`,
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
  },
];

const DELIVERY = 'select id from webhook_deliveries where endpoint_id = $1 and event_id = $2';

/**
 * Finds a record by its id, or by its workflow's id as the Temporal UI shows it.
 *
 * @throws CommandError if such ids have no workflows, or there is no such record
 */
export async function findRow(session: Session, given: string): Promise<Row> {
  const sql = sqlOver(session.database.system);
  const [head, ...rest] = given.split(':');
  let id = rest.at(-1) ?? given;
  if (head === 'delivery' && rest.length === 2) {
    const delivery = await first<{ id: string }>(sql, DELIVERY, rest);
    if (!delivery)
      throw new CommandError(`There is no delivery of ${rest[1]} to ${rest[0]} in the database.`);
    id = delivery.id;
  }
  const known = KINDS.find(({ prefix }) => id.startsWith(`${prefix}_`));
  if (!known) throw new CommandError(unknown(given));
  const place = await first<{ organizationId: string }>(
    sql,
    `select organization_id as "organizationId" from ${known.table} where id = $1`,
    [id],
  );
  const { kind, query } = known;
  const found =
    place &&
    (await inWorkspace(session.database, place.organizationId, (own) =>
      first<Found>(own, query, [place.organizationId, id]),
    ));
  if (!found) throw new CommandError(`There is no ${kind} ${id} in the database.`);
  const { organizationId } = place;
  return { kind, id, organizationId, workflowId: workflowIdOf(kind, id, found), ...found };
}

function workflowIdOf(kind: Kind, id: string, { endpointId, eventId }: Found): string {
  if (kind === 'delivery') return `delivery:${endpointId}:${eventId}`;
  return kind === 'automation' ? `deactivate:${id}` : `${kind}:${id}`;
}

const unknown = (given: string): string =>
  `Nothing runs by itself for ${given}: workflows belong to things of the kinds ${KINDS.map(({ kind, prefix }) => `${kind} (${prefix}_…)`).join(', ')}; Schedules are named upkeep:….`;
