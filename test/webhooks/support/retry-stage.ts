import { createUnderWay } from '../../../src/concurrency.ts';
import { sqlOver } from '../../../src/db/database.ts';
import { createSafeSender } from '../../../src/net/sender.ts';
import { createWaker } from '../../../src/relay/processes/waker.ts';
import { type BacklogParts, drainBacklog } from '../../../src/webhooks/lanes/backlog/backlog.ts';
import { RETRIES_AT_ONCE } from '../../../src/webhooks/lanes/retries/parts.ts';
import { retryDelivery } from '../../../src/webhooks/lanes/retries/retries.ts';
import { createSigningKeys } from '../../../src/webhooks/signing/keys.ts';
import { createWebhookSender } from '../../../src/webhooks/signing/sender.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { anEndpoint } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { startReceiver } from '../../support/receiver.ts';
import { aDelivery } from '../../support/retries.ts';

/** A delivery whose second attempt has been due for as long as a busy machine may need to set the stage. */
export const RETRYING = `status = 'retrying', attempts = 1, round_attempts = 1,
  first_attempt_at = now() - interval '1 minute', next_attempt_at = now() - interval '30 seconds'`;

export type RetryStage = Awaited<ReturnType<typeof openRetryStage>>;

/** Retries and backlogs, step by step, at a time that the test sets. */
export async function openRetryStage() {
  const database = await openOwnDatabase();
  const { wake, onWake: hear, close: endWaker } = createWaker({ url: database.url });
  const receiver = await startReceiver();
  const sender = createSafeSender({ trustedOrigins: [receiver.origin] });
  const clock = { ms: Date.now(), now: () => new Date(clock.ms), skewMs: 0 };

  /** An endpoint with deliveries that workflows are to attempt, and what is done to them step by step. */
  async function scene(count: number, set = '') {
    const { ctx: opened, workspaceId: organizationId } = await aWorkspace(database, { wake });
    const { id: endpointId } = await anEndpoint(opened, `${receiver.origin}/${organizationId}`);
    const ids = [];
    for (let n = 0; n < count; n += 1)
      ids.push(await aDelivery(database, organizationId, endpointId));
    const rows = <R>(text: string): Promise<R[]> =>
      sqlOver(database.system).rows<R>(text, [endpointId]);
    if (set) await rows(`update webhook_deliveries set ${set} where endpoint_id = $1`);
    const [first] = ids;
    if (!first) throw new Error('no delivery');
    const backoff = { scale: 1, jitter: () => 0 };
    const parts = { database, clock, backoff, underWay: createUnderWay(RETRIES_AT_ONCE), hear };
    const backlog: BacklogParts = { database, clock, wake: () => {} };
    return {
      endpointId,
      first,
      ids,
      rows,
      ctx: () => ({ ...opened, now: clock.now() }),
      attempt: (by = sender, which = first) =>
        retryDelivery(
          { ...parts, sender: createWebhookSender(by, createSigningKeys(testKeyring)) },
          which,
          { atOnce: false, lastTry: false },
        ),
      drain: (freshAt?: string) => drainBacklog(backlog, { organizationId, endpointId }, freshAt),
      stored: async () => {
        const [row] = await sqlOver(database.system).rows<Record<string, unknown>>(
          'select * from webhook_deliveries where id = $1',
          [first.deliveryId],
        );
        return row;
      },
    };
  }

  return {
    database,
    receiver,
    clock,
    scene,
    /** Before each test: now, a receiver that got nothing and refuses everything. */
    freshly: () => {
      clock.ms = Date.now();
      receiver.received.length = 0;
      receiver.answer = () => ({ status: 500 });
    },
    close: async () => {
      await sender.close();
      await receiver.close();
      await endWaker();
      await database.close();
    },
  };
}
