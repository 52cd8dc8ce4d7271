import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Database, sqlOver } from '../../../src/db/database.ts';
import { createSafeSender, type SafeSender } from '../../../src/net/sender.ts';
import { resendDelivery } from '../../../src/webhooks/deliveries/resending.ts';
import { type BacklogParts, drainBacklog } from '../../../src/webhooks/lanes/backlog.ts';
import { startStrays } from '../../../src/webhooks/lanes/drains.ts';
import { claimDue, fanOut } from '../../../src/webhooks/lanes/intake.ts';
import { retryDelivery } from '../../../src/webhooks/lanes/retries.ts';
import { pauseEndpoint, resumeEndpoint } from '../../../src/webhooks/pausing.ts';
import { deleteEndpoint, updateEndpoint } from '../../../src/webhooks/service.ts';
import { createSigningKeys } from '../../../src/webhooks/signing/keys.ts';
import { createWebhookSender } from '../../../src/webhooks/signing/sender.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { aDelivery } from '../../support/retries.ts';

let database: Database;
let receiver: Receiver;
let sender: SafeSender;
let clockMs = 0;

beforeAll(async () => {
  database = await openOwnDatabase();
  receiver = await startReceiver();
  sender = createSafeSender({ trustedOrigins: [receiver.origin] });
});

afterAll(async () => {
  await sender.close();
  await receiver.close();
  await database.close();
});

beforeEach(() => {
  clockMs = Date.now();
  receiver.received.length = 0;
  receiver.answer = () => ({ status: 500 });
});

const clock = { now: () => new Date(clockMs), skewMs: 0 };

/** An endpoint with deliveries that workflows are to attempt, and what is done to them step by step. */
async function scene(count: number, set = '') {
  const { ctx: opened, workspaceId: organizationId } = await aWorkspace(database);
  const { id: endpointId } = await anEndpoint(opened, `${receiver.origin}/${organizationId}`);
  const ids = [];
  for (let n = 0; n < count; n += 1)
    ids.push(await aDelivery(database, organizationId, endpointId));
  const rows = <R>(text: string): Promise<R[]> =>
    sqlOver(database.system).rows<R>(text, [endpointId]);
  if (set) await rows(`update webhook_deliveries set ${set} where endpoint_id = $1`);
  const [first] = ids;
  if (!first) throw new Error('no delivery');
  const parts = {
    database,
    clock,
    backoff: { scale: 1, jitter: () => 0 },
  };
  const backlog: BacklogParts = { database, clock, wake: () => {} };
  return {
    endpointId,
    first,
    rows,
    ctx: () => ({ ...opened, now: clock.now() }),
    attempt: (by = sender) =>
      retryDelivery(
        { ...parts, sender: createWebhookSender(by, createSigningKeys(testKeyring)) },
        first,
        { atOnce: false, lastTry: false },
      ),
    drain: () => drainBacklog(backlog, { organizationId, endpointId }),
    stored: async () => {
      const [row] = await sqlOver(database.system).rows<Record<string, unknown>>(
        'select * from webhook_deliveries where id = $1',
        [first.deliveryId],
      );
      return row;
    },
  };
}

const RETRYING = `status = 'retrying', attempts = 1, round_attempts = 1,
  first_attempt_at = now() - interval '1 minute', next_attempt_at = now() - interval '1 second'`;
const DOWN = 'update webhook_endpoints set failures_in_row = 20 where id = $1';

describe('a pause that comes while a workflow makes an attempt', () => {
  it('stops the 24 hours of the delivery, also when the endpoint is failing', async () => {
    const { ctx, endpointId, rows, attempt, drain, stored } = await scene(4, RETRYING);
    receiver.answer = async () => {
      await rows(DOWN);
      await pauseEndpoint(ctx(), endpointId);
      expect(await drain()).toMatchObject({ next: 'end' });
      return { status: 500 };
    };
    await attempt();
    // Its workflow was woken by the pause, and looks again.
    expect(await attempt()).toMatchObject({ next: 'end', status: 'held' });
    expect(await stored()).toMatchObject({ status: 'held', in_backlog: true, attempts: 2 });

    clockMs += 3 * 24 * 3_600_000;
    await resumeEndpoint(ctx(), endpointId);
    await drain();
    expect(await stored()).toMatchObject({ status: 'pending', in_backlog: false, error: 'status' });
  });

  it('holds what was put into the backlog when its drain had ended', async () => {
    const { ctx, endpointId, rows, drain, stored } = await scene(1, RETRYING);
    await pauseEndpoint(ctx(), endpointId);
    await drain();
    const before = `in_backlog = true, owned_by_workflow = false, lease_until = now() + interval '1 minute'`;
    await rows(`update webhook_deliveries set ${before} where endpoint_id = $1`);

    expect(await startStrays(sqlOver(database.system))).toBe(1);
    await drain();
    expect(await stored()).toMatchObject({ status: 'held' });
    expect(await startStrays(sqlOver(database.system))).toBe(0);

    clockMs += 3 * 24 * 3_600_000;
    await resumeEndpoint(ctx(), endpointId);
    await drain();
    expect(await stored()).toMatchObject({ status: 'pending', in_backlog: false });
  });
});

describe('a pause while no worker runs', () => {
  const THREE_DAYS_MS = 3 * 24 * 3_600_000;
  const late = (set: string): string =>
    `status = 'retrying', attempts = 3, round_attempts = 3, lease_token = null,
     first_attempt_at = now() - interval '23 hours', next_attempt_at = now() + interval '1 hour', ${set}`;
  const unowned = "owned_by_workflow = false, lease_until = now() + interval '1 hour'";

  it.each([
    ['by its workflow', 'owned_by_workflow = true'],
    ['in the lane', unowned],
    ['in the backlog', `${unowned}, in_backlog = true`],
  ])('and a resume take nothing of the 24 hours of what waits %s', async (_, set) => {
    const { ctx, endpointId, attempt, drain, stored } = await scene(1, late(set));
    const before = await stored();
    await pauseEndpoint(ctx(), endpointId);
    clockMs += THREE_DAYS_MS;
    await resumeEndpoint(ctx(), endpointId);

    const ms = (row: Awaited<ReturnType<typeof stored>>): number =>
      Number(row?.['first_attempt_at']);
    expect(ms(await stored()) - ms(before)).toBe(THREE_DAYS_MS);
    await drain();
    if (set.includes('true')) await attempt();
    expect(await stored()).toMatchObject({
      status: 'retrying',
      attempts: set.startsWith('owned_by_workflow = true') ? 4 : 3,
      in_backlog: false,
    });
  });

  it('holds what its workflow finds when it comes back, with the time it had left', async () => {
    const { ctx, endpointId, attempt, drain, stored } = await scene(
      1,
      late('owned_by_workflow = true'),
    );
    await pauseEndpoint(ctx(), endpointId);
    clockMs += THREE_DAYS_MS;
    expect(await attempt()).toMatchObject({ next: 'end', status: 'held' });

    await resumeEndpoint(ctx(), endpointId);
    await drain();
    expect(await stored()).toMatchObject({ status: 'pending', in_backlog: false, attempts: 3 });
  });

  it('and a resume take nothing of more than the resume gives back itself: the drain does the rest', async () => {
    const { ctx, endpointId, rows, drain } = await scene(1);
    const { organizationId } = ctx();
    const events = await sentEvents(database, organizationId, 10_200);
    const taker = { token: 'nobody', full: [endpointId] };
    for (let made = 0; made < events.length; )
      made += (await fanOut(sqlOver(database.system), taker, 5_000, events)).facts;
    await rows(
      `update webhook_deliveries set ${late(`${unowned}, in_backlog = true`)} where endpoint_id = $1`,
    );

    await pauseEndpoint(ctx(), endpointId);
    clockMs += THREE_DAYS_MS;
    await resumeEndpoint(ctx(), endpointId);
    await drain();

    // Those are released like whatever was held; nothing has expired.
    const found = await rows(
      'select status, count(*)::int as n from webhook_deliveries where endpoint_id = $1 group by 1 order by 1',
    );
    expect(found).toEqual([
      { status: 'pending', n: 201 },
      { status: 'retrying', n: 10_000 },
    ]);
    expect(await rows('select paused_at from webhook_endpoints where id = $1')).toEqual([
      { paused_at: null },
    ]);
  });
});

describe('our own resolver, while it is down,', () => {
  it('costs a retry nothing: it is due in half a minute, and at once when somebody sends it again', async () => {
    const down = { kind: 'unavailable', reason: 'ETIMEOUT' } as const;
    const blind = createSafeSender({ trustedOrigins: [], resolve: async () => down });
    const { ctx, endpointId, first, attempt, stored } = await scene(1, RETRYING);
    await updateEndpoint(ctx(), endpointId, { url: 'https://shop.com/' }, { trustedOrigins: [] });

    const step = await attempt(blind);

    await blind.close();
    expect(step).toMatchObject({ next: 'wait', attempts: 1, waitMs: 30_000 });
    const next_attempt_at = new Date(clockMs + 30_000);
    expect(await stored()).toMatchObject({ attempts: 1, lease_token: null, next_attempt_at });
    expect(await resendDelivery(ctx(), first)).toMatchObject({ status: 'pending', attempts: 1 });
  });
});

describe('a deleted endpoint', () => {
  it('leaves nothing behind of what was put into the lane when its drain had ended', async () => {
    const { ctx, endpointId, rows, drain, stored } = await scene(1);
    await deleteEndpoint(ctx(), endpointId);
    await drain();
    const late = `status = 'pending', finished_at = null, owned_by_workflow = false, lease_token = null,
      lease_until = now() - interval '30 seconds'`;
    await rows(`update webhook_deliveries set ${late} where endpoint_id = $1`);

    const sql = sqlOver(database.system);
    const claimed = await claimDue(sql, { token: 'tests', full: [] }, 100);
    expect(claimed.map((attempt) => attempt.endpointId)).not.toContain(endpointId);
    expect(await startStrays(sql)).toBe(1);
    expect(await drain()).toMatchObject({ next: 'end' });
    expect(await stored()).toMatchObject({ status: 'failed' });
    expect(await startStrays(sql)).toBe(0);
  });

  it('needs no drain any more when a workflow ended what stood in its backlog', async () => {
    const { ctx, endpointId, first, attempt, drain, stored } = await scene(1, RETRYING);
    await resendDelivery(ctx(), first);
    await pauseEndpoint(ctx(), endpointId);
    await drain();
    expect(await stored()).toMatchObject({ status: 'held', in_backlog: true });
    await deleteEndpoint(ctx(), endpointId);

    expect(await attempt()).toMatchObject({ next: 'end', status: 'failed' });
    expect(await drain()).toMatchObject({ next: 'end' });
    expect(await startStrays(sqlOver(database.system))).toBe(0);
    expect(await stored()).toMatchObject({ status: 'failed', in_backlog: false });
  });
});
