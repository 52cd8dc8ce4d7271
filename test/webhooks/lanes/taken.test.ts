import { beforeEach, describe, expect, it } from '@jest/globals';
import { inWorkspace, sqlOver } from '../../../src/db/database.ts';
import { createLog } from '../../../src/log.ts';
import { createSafeSender } from '../../../src/net/sender.ts';
import { insertFacts } from '../../../src/outbox/record.ts';
import { drainBacklog } from '../../../src/webhooks/lanes/backlog/backlog.ts';
import { Attempts } from '../../../src/webhooks/lanes/first-attempts/attempts.ts';
import { claimDue, fanOut, LEASE_MS } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { Recorder } from '../../../src/webhooks/lanes/first-attempts/recorder.ts';
import { FAILING_AFTER } from '../../../src/webhooks/rules.ts';
import { createSigningKeys } from '../../../src/webhooks/signing/keys.ts';
import { createWebhookSender } from '../../../src/webhooks/signing/sender.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { opened } from '../../support/opened.ts';
import { startReceiver } from '../../support/receiver.ts';
import { eventually } from '../../support/waiting.ts';

const taker = { token: 'a-process', full: [] };
const clock = { now: () => new Date(), skewMs: 0 };
const nothing = (): void => {};

const stage = opened(async () => {
  const database = await openOwnDatabase();
  const receiver = await startReceiver();
  const sender = createSafeSender({ trustedOrigins: [receiver.origin] });
  return {
    database,
    receiver,
    sender,
    close: async () => {
      await sender.close();
      await receiver.close();
      await database.close();
    },
  };
});

beforeEach(() => {
  stage.receiver.received.length = 0;
  stage.receiver.answer = () => ({ status: 200 });
});

/** An endpoint with deliveries that the process has taken, and its lane of attempts. */
async function aLane(count: number) {
  const { database, receiver, sender } = stage;
  const sql = sqlOver(database.system);
  const { ctx, workspaceId: organizationId } = await aWorkspace(database);
  const { id: endpointId } = await anEndpoint(ctx, `${receiver.origin}/${organizationId}`);
  await sentEvents(database, organizationId, count);
  const { claimed } = await fanOut(sql, taker, count);
  const recorder = new Recorder({
    database,
    clock: {},
    token: taker.token,
    backoff: { scale: 1, jitter: () => 0 },
    log: createLog({ level: 'silent', format: 'json' }),
    onCommands: nothing,
    onFirst: nothing,
  });
  const attempts = new Attempts({
    recorder,
    clock,
    onRoom: nothing,
    sender: createWebhookSender(sender, createSigningKeys(testKeyring)),
  });
  const rows = <R>(text: string): Promise<R[]> => sql.rows<R>(text, [endpointId]);
  return {
    attempts,
    claimed,
    rows,
    claim: () => claimDue(sql, taker, count),
    drain: () => drainBacklog({ database, clock, wake: nothing }, { organizationId, endpointId }),
    /** What is in flight has ended, and everything is written down. */
    end: async () => {
      await attempts.stop();
      await recorder.stop();
    },
    stored: () =>
      rows(
        `select status, attempts, error, next_attempt_at as next, lease_token is not null as taken
         from webhook_deliveries where endpoint_id = $1 order by id`,
      ),
  };
}

describe('what is due in the lane', () => {
  it('is taken in the order in which it came due', async () => {
    const { claimed, rows } = await aLane(5);
    // Against the order in which they are stored.
    await rows(
      `update webhook_deliveries d set lease_token = null, lease_until = now() - n.nth * interval '1 hour'
       from (select id, row_number() over (order by id) as nth from webhook_deliveries where endpoint_id = $1) n
       where d.id = n.id`,
    );

    const taken: string[] = [];
    for (const _ of claimed)
      for (const { id } of await claimDue(sqlOver(stage.database.system), taker, 1)) taken.push(id);

    const ids = claimed.map(({ id }) => id).toSorted();
    expect(taken).toEqual(ids.toReversed());
  });
});

describe('a delivery that this process has taken', () => {
  it('is not begun when its lease could end meanwhile: another process may take it at once', async () => {
    const { attempts, claimed, stored, claim, end } = await aLane(1);

    attempts.take(claimed, performance.now() - LEASE_MS);
    await end();

    expect(stage.receiver.received).toEqual([]);
    expect(await stored()).toMatchObject([{ status: 'pending', attempts: 0, taken: false }]);
    expect(await claim()).toHaveLength(1);
  });

  it('is not begun when its 24 hours are over: its backlog ends it', async () => {
    const { attempts, rows, stored, claim, drain, end } = await aLane(1);
    await rows(
      `update webhook_deliveries set status = 'retrying', attempts = 1, round_attempts = 1, lease_token = null,
       first_attempt_at = now() - interval '25 hours', next_attempt_at = now(), lease_until = now()
       where endpoint_id = $1`,
    );

    attempts.take(await claim());
    await end();
    await drain();

    expect(stage.receiver.received).toEqual([]);
    expect(await stored()).toMatchObject([
      { status: 'failed', attempts: 1, error: 'expired', next: null },
    ]);
  });

  it('does not go before what went to the backlog when its endpoint came to fail', async () => {
    const { attempts, claimed, rows, end } = await aLane(15);
    const open = Promise.withResolvers<void>();
    stage.receiver.answer = async () => {
      if (stage.receiver.received.length <= FAILING_AFTER) return { status: 500 };
      await open.promise;
      return { status: 200 };
    };
    attempts.take(claimed.slice(0, 14));
    // Eight at once, and one more after each failure but the last: then the rest goes to the backlog.
    await stage.receiver.waitFor(12);
    await eventually(() => attempts.waiting === 0);

    attempts.take(claimed.slice(14));
    open.resolve();
    await end();

    expect(stage.receiver.received).toHaveLength(12);
    expect(
      await rows(
        'select from webhook_deliveries where endpoint_id = $1 and in_backlog and attempts = 0',
      ),
    ).toHaveLength(3);
  });

  it('is attempted once though it is taken again while it is under way', async () => {
    const { attempts, claimed, stored, end } = await aLane(1);
    const open = Promise.withResolvers<void>();
    stage.receiver.answer = async () => {
      await open.promise;
      return { status: 200 };
    };
    attempts.take(claimed);
    await stage.receiver.waitFor(1);

    attempts.take(claimed);
    open.resolve();
    await end();

    expect(stage.receiver.received).toHaveLength(1);
    expect(await stored()).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
  });

  it('is not taken as a new one when its event comes again while its retry is under way', async () => {
    const { claimed, rows } = await aLane(1);
    const [retried] = claimed;
    if (!retried) throw new Error('nothing was claimed');
    const { organizationId, eventId: id, body: payload } = retried;
    await rows(
      "update webhook_deliveries set status = 'retrying', attempts = 1 where endpoint_id = $1",
    );

    const fact = { id, type: 'message.sent', isEvent: true, payload } as const;
    await inWorkspace(stage.database, organizationId, (sql) =>
      insertFacts(sql, organizationId, [fact]),
    );
    const again = await fanOut(sqlOver(stage.database.system), taker, 1);

    expect(again).toMatchObject({ facts: 1, deliveries: 0, claimed: [] });
  });
});
