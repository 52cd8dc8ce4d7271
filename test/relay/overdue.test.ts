import { expect, it } from '@jest/globals';
import { inWorkspace, sqlOver } from '../../src/db/database.ts';
import { createReconciler } from '../../src/relay/reconciler.ts';
import { fanOut } from '../../src/webhooks/lanes/first-attempts/intake.ts';
import { openOwnDatabase } from '../support/database.ts';
import { anEndpoint, sentEvents } from '../support/factories/webhooks.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);

/** More than one page of them. */
const MANY = 120;

const ENDPOINTS = `
  insert into webhook_endpoints
  select (jsonb_populate_record(e, jsonb_build_object('id', 'whk_' || n, 'drain_at', now() - interval '1 minute'))).*
  from webhook_endpoints e, generate_series(1, ${MANY}) n where e.id = $1`;

it('the reconciler asks for every retry and every look at a backlog that is overdue, page by page, and for no other', async () => {
  const sql = sqlOver(database.system);
  const { ctx, workspaceId } = await aWorkspace(database);
  const { id } = await anEndpoint(ctx, 'https://hooks.example.com/in');
  const events = await sentEvents(database, workspaceId, MANY + 1);
  await fanOut(sql, { token: 'tests', full: [id] }, events.length);
  await sql.rows(
    `update webhook_deliveries set status = 'retrying', owned_by_workflow = true,
       next_attempt_at = now() + case when event_id = $1 then interval '1 hour' else interval '-1 minute' end`,
    [events.at(-1)],
  );
  await inWorkspace(database, workspaceId, (own) => own.rows(ENDPOINTS, [id]));
  await sql.rows(
    "update webhook_endpoints set drain_at = now() + interval '1 hour' where id = $1",
    [id],
  );
  const asked = new Set<string>();
  const perform = async ({ workflowId }: { workflowId: string }): Promise<void> => {
    asked.add(workflowId);
  };
  const reconcile = createReconciler({ database, calls: { perform } });

  await reconcile();
  await reconcile();

  const retries = events.slice(0, MANY).map((eventId) => `delivery:${id}:${eventId}`);
  const drains = Array.from({ length: MANY }, (_, n) => `endpoint:whk_${n + 1}`);
  expect([...asked].toSorted()).toEqual([...retries, ...drains].toSorted());
});
