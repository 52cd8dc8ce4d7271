import type { Sql } from '../../../db/sql.ts';
import { newId } from '../../../ids.ts';
import type { DeliveryStatus } from '../../rules.ts';
import {
  FAILING_AFTER,
  KEPT_WHILE_FAILING,
  MAX_OPEN_RETRIES,
  WAITING_IN_LANE,
} from '../../rules.ts';
import { IN_LANE } from '../rows.ts';

/**
 * What is recorded at once takes only a small part of the remaining room, so that several processes, which do not see
 * each other's, stay below the limit. The rest of the room is for a process that reads long before it writes.
 */
const OPEN_RETRIES = MAX_OPEN_RETRIES - 20;
const SHARES = 10;

interface Attempted {
  readonly organizationId: string;
  readonly endpointId: string;
  readonly status: DeliveryStatus;
}

/** Where a delivery goes after its attempt. */
interface Placement {
  /** Whether it gets its own workflow, through this command. */
  readonly slot: boolean;
  readonly factId?: string;
  readonly parked: boolean;
}

/** Takes what it assigns from `capacities`, so the next one in the same batch finds less. */
export function placementOf(result: Attempted, capacities: Map<string, Capacity>): Placement {
  if (result.status !== 'retrying') return { slot: false, parked: false };
  const left = capacities.get(result.endpointId);
  if (left && left.slots > 0) {
    left.slots -= 1;
    return { slot: true, parked: false, factId: newId('fct') };
  }
  if (!left || left.lane <= 0) return { slot: false, parked: true };
  left.lane -= 1;
  return { slot: false, parked: false };
}

/** How many more of an endpoint's retries may have a workflow, and how many may wait in the lane. */
interface Capacity {
  slots: number;
  lane: number;
}

const OPEN = `
  select e.id, e.failures_in_row as failures,
    (select count(*) from webhook_deliveries o where o.organization_id = f.organization_id
      and o.endpoint_id = f.id and o.owned_by_workflow and o.finished_at is null) as open,
    (select count(*) from (select from webhook_deliveries d where d.organization_id = f.organization_id
      and d.endpoint_id = f.id and ${IN_LANE} limit ${WAITING_IN_LANE}) counted) as waiting
  from unnest($1::text[], $2::text[]) as f (organization_id, id)
  join webhook_endpoints e on e.organization_id = f.organization_id and e.id = f.id`;

interface Open {
  readonly id: string;
  readonly failures: number;
  readonly open: number;
  readonly waiting: number;
}

/**
 * An endpoint that fails without any success in between keeps one workflow, which represents it for operators; its
 * other retries wait in the lane, which costs nothing until they are due.
 */
export async function capacitiesOf(
  sql: Sql,
  results: readonly Attempted[],
  laneWaits: boolean,
): Promise<Map<string, Capacity>> {
  const failed = Map.groupBy(
    results.filter(({ status }) => status === 'retrying'),
    ({ endpointId }) => endpointId,
  );
  if (failed.size === 0) return new Map();
  const delivered = new Set(
    results.filter(({ status }) => status === 'succeeded').map(({ endpointId }) => endpointId),
  );
  const workspaces = [...failed.values()].map(([one]) => one?.organizationId);
  const rows = await sql.rows<Open>(OPEN, [workspaces, [...failed.keys()]], 'open-retries');
  return new Map(
    rows.map(({ id, failures, open, waiting }) => {
      const more = failures + (failed.get(id)?.length ?? 0);
      const unbroken = !delivered.has(id) && (failures > 0 || more >= FAILING_AFTER);
      const left = unbroken
        ? KEPT_WHILE_FAILING - open
        : Math.floor((OPEN_RETRIES - open) / SHARES);
      const slots = failures >= FAILING_AFTER ? 0 : left;
      return [id, { slots, lane: laneWaits && unbroken ? WAITING_IN_LANE - waiting : 0 }];
    }),
  );
}
