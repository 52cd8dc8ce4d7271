import { Migration } from '@mikro-orm/migrations';

/**
 * What an endpoint cannot take now waits in its backlog, which `drainEndpoint` brings to the lane of
 * attempts by and by. Pausing, resuming and deleting an endpoint change its row only.
 */
export class Migration20261121_0021_backlogs extends Migration {
  override up(): void {
    this.addSql(endpoints);
    this.addSql(deliveries);
  }
}

const endpoints = `
alter table webhook_endpoints
  -- A listener is a person's own machine, which fetches what is held for it (\`wms listen\`).
  add column kind text not null default 'endpoint' check (kind in ('endpoint', 'listener')),
  add column heard_at timestamptz,
  add column paused_at timestamptz,
  -- When the backlog is looked at next; null when nobody needs to.
  add column drain_at timestamptz,
  -- What failed before this moment is to be sent again.
  add column resend_before timestamptz,
  -- Raised by every change: what a process took before it is taken anew.
  add column revision int not null default 1;
create index webhook_endpoints_draining on webhook_endpoints (id) where drain_at is not null;
grant update (drain_at) on webhook_endpoints to wms_system;
`;

const deliveries = `
alter table webhook_deliveries
  add column in_backlog boolean not null default false,
  add column held_at timestamptz,
  add column resent_at timestamptz;
drop index webhook_deliveries_due;
drop index webhook_deliveries_unowned;
drop index webhook_deliveries_open;
-- Lane 1: what a process may take, and how much of each endpoint that is.
create index webhook_deliveries_due on webhook_deliveries (lease_until)
  where status in ('pending', 'retrying') and not owned_by_workflow and not in_backlog;
create index webhook_deliveries_in_lane on webhook_deliveries (organization_id, endpoint_id)
  where status in ('pending', 'retrying') and not owned_by_workflow and not in_backlog;
-- Lane 3, oldest first: \`lease_until\` is when a row may be released.
create index webhook_deliveries_backlog on webhook_deliveries (organization_id, endpoint_id, status, lease_until, id) where in_backlog;
create index webhook_deliveries_failing on webhook_deliveries (organization_id, endpoint_id, id desc)
  where status in ('failed', 'blocked', 'retrying');

-- Before, held rows and retries without a workflow were in no lane of their own.
set local role wms_system;
update webhook_deliveries set in_backlog = true, owned_by_workflow = false, held_at = created_at, lease_token = null, lease_until = created_at
where status = 'held';
update webhook_deliveries set in_backlog = true, lease_token = null, lease_until = next_attempt_at
where status = 'retrying' and not owned_by_workflow;
update webhook_endpoints e set drain_at = now()
where e.status = 'active' and exists (
  select from webhook_deliveries d where d.organization_id = e.organization_id and d.endpoint_id = e.id and d.in_backlog);
reset role;
`;
