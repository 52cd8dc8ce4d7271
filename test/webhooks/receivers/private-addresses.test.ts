import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sqlOver } from '../../../src/db/database.ts';
import { type OwnDatabase, openOwnDatabase } from '../../support/database.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type RunningRelay, runRelay } from '../../support/relay.ts';
import { eventually } from '../../support/waiting.ts';

let database: OwnDatabase;
let receiver: Receiver;
let running: RunningRelay;

beforeAll(async () => {
  database = await openOwnDatabase();
  receiver = await startReceiver();
  running = await runRelay({ url: database.url, database, trustedOrigins: [] });
});
afterAll(async () => {
  await running.stop();
  await receiver.close();
  await database.close();
});

describe('a delivery to a private address', () => {
  it('is blocked at its first attempt, reaches nobody, and is never retried', async () => {
    const { ctx, workspaceId } = await aWorkspace(database);
    const { id } = await anEndpoint(ctx, `${receiver.origin}/private`);
    const sql = sqlOver(database.system);
    const delivery = async () =>
      (
        await sql.rows<Record<string, unknown>>(
          'select * from webhook_deliveries where endpoint_id = $1',
          [id],
        )
      )[0];

    await sentEvents(database, workspaceId);
    void running.waker.wake('events');
    await eventually(async () => (await delivery())?.['status'] === 'blocked');

    expect(await delivery()).toMatchObject({
      attempts: 1,
      error: 'private_address',
      code: null,
      next_attempt_at: null,
      owned_by_workflow: false,
      finished_at: expect.any(Date),
    });
    expect(await sql.rows("select 1 from facts where type = 'delivery.retrying'")).toEqual([]);
    expect(receiver.received).toEqual([]);
  });
});
