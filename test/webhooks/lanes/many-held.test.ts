import { expect, it } from '@jest/globals';
import { asSystem, inWorkspace } from '../../../src/db/database.ts';
import type { Sql } from '../../../src/db/sql.ts';
import { STRAYS } from '../../../src/webhooks/lanes/backlog/drains.ts';
import { GIVE_BACK } from '../../../src/webhooks/lanes/backlog/queries.ts';
import { fanOut } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { OVERDUE } from '../../../src/webhooks/lanes/retries/overdue.ts';
import { pauseEndpoint } from '../../../src/webhooks/pausing.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { opened } from '../../support/opened.ts';

const database = opened(openOwnDatabase);

interface Place {
  readonly workspaceId: string;
  readonly endpointId: string;
}

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

interface Look {
  readonly what: string;
  /** As a `prepare` takes it. */
  readonly text: string;
  /** As an `execute` takes them. */
  readonly params: (place: Place) => string;
  readonly inside: <T>(place: Place, work: (sql: Sql) => Promise<T>) => Promise<T>;
}

const system: Look['inside'] = (_, work) => asSystem(database, work);
const workspace: Look['inside'] = ({ workspaceId }, work) =>
  inWorkspace(database, workspaceId, work);

const LOOKS: readonly Look[] = [
  {
    what: 'looking for retries that are overdue',
    text: `(int, text, int) as ${OVERDUE}`,
    params: () => "(20000, '', 500)",
    inside: system,
  },
  {
    what: 'looking for backlogs that nobody drains',
    text: `as ${STRAYS}`,
    params: () => '',
    inside: system,
  },
  {
    what: 'giving their time back to those that a pause came upon',
    text: `(text, text, timestamptz, timestamptz, int) as ${GIVE_BACK}`,
    params: ({ workspaceId, endpointId }) =>
      `('${workspaceId}', '${endpointId}', now(), now() + interval '1 hour', 10000)`,
    inside: workspace,
  },
];

/** Of an endpoint that is paused and has nothing more to drain; three have a retry instead. */
async function fiveThousandHeld(sql: Sql, { endpointId }: Place): Promise<void> {
  await sql.rows('update webhook_endpoints set drain_at = null where id = $1', [endpointId]);
  await fanOut(sql, { token: 'nobody', full: [] }, 10);
  await sql.rows(
    `insert into webhook_deliveries select (jsonb_populate_record(d, jsonb_build_object(
       'id', 'dlv_' || right(d.endpoint_id, 10) || lpad(n::text, 16, '0'), 'event_id', 'evt_' || lpad(n::text, 26, '0')))).*
     from webhook_deliveries d, generate_series(1, 5000) n where d.endpoint_id = $1`,
    [endpointId],
  );
  await sql.rows(
    `update webhook_deliveries set owned_by_workflow = true, in_backlog = false, held_at = null, status = 'retrying',
       next_attempt_at = now() - interval '1 hour'
     where endpoint_id = $1 and right(id, 16) in (${[1, 2, 3].map((n) => `lpad('${n}', 16, '0')`).join(', ')})`,
    [endpointId],
  );
}

it.each(LOOKS)('$what reads no delivery that is held, however many there are', async (look) => {
  const { ctx, workspaceId } = await aWorkspace(database);
  const { id: endpointId } = await anEndpoint(ctx, 'https://hooks.example.com/');
  const place = { workspaceId, endpointId };
  await pauseEndpoint(ctx, endpointId);
  await sentEvents(database, workspaceId);

  const blocks = await look.inside(place, async (sql) => {
    const ask = `explain (analyze, buffers, format json) execute look${look.params(place)}`;
    await sql.rows(`prepare look ${look.text}`);
    // The plan is made while there is nothing, and kept.
    await sql.rows(ask);
    await asSystem(database, (other) => fiveThousandHeld(other, place));
    const [row] = await sql.rows<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(ask);
    await sql.rows('deallocate look');
    const plan = row?.['QUERY PLAN'][0].Plan;
    return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
  });

  expect(blocks).toBeLessThan(300);
});
