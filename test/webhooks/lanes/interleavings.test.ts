import { beforeEach, describe, expect, it } from '@jest/globals';
import { inWorkspace, sqlOver } from '../../../src/db/database.ts';
import { createSafeSender } from '../../../src/net/sender.ts';
import { resendDelivery } from '../../../src/webhooks/deliveries/resending.ts';
import { startStrays } from '../../../src/webhooks/lanes/backlog/drains.ts';
import { claimDue, fanOut } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { pauseEndpoint, resumeEndpoint } from '../../../src/webhooks/pausing.ts';
import { deleteEndpoint, updateEndpoint } from '../../../src/webhooks/service.ts';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { opened } from '../../support/opened.ts';
import { openRetryStage, RETRYING } from '../support/retry-stage.ts';

const stage = opened(openRetryStage);
beforeEach(() => stage.freshly());

const DOWN = 'update webhook_endpoints set failures_in_row = 20 where id = $1';

describe('a pause that comes while a workflow makes an attempt', () => {
  it('stops the 24 hours of the delivery, also when the endpoint is failing', async () => {
    const { ctx, endpointId, rows, attempt, drain, stored } = await stage.scene(4, RETRYING);
    stage.receiver.answer = async () => {
      await rows(DOWN);
      await pauseEndpoint(ctx(), endpointId);
      expect(await drain()).toMatchObject({ next: 'end' });
      return { status: 500 };
    };
    await attempt();
    // Its workflow was woken by the pause, and looks again.
    expect(await attempt()).toMatchObject({ next: 'end', status: 'held' });
    expect(await stored()).toMatchObject({ status: 'held', in_backlog: true, attempts: 2 });

    stage.clock.ms += 3 * 24 * 3_600_000;
    await resumeEndpoint(ctx(), endpointId);
    await drain();
    expect(await stored()).toMatchObject({ status: 'pending', in_backlog: false, error: 'status' });
  });

  it('holds what was put into the backlog when its drain had ended', async () => {
    const { ctx, endpointId, rows, drain, stored } = await stage.scene(1, RETRYING);
    await pauseEndpoint(ctx(), endpointId);
    await drain();
    const before = `in_backlog = true, owned_by_workflow = false, lease_until = now() + interval '1 minute'`;
    await rows(`update webhook_deliveries set ${before} where endpoint_id = $1`);

    expect(await startStrays(sqlOver(stage.database.system))).toBe(1);
    await drain();
    expect(await stored()).toMatchObject({ status: 'held' });
    expect(await startStrays(sqlOver(stage.database.system))).toBe(0);

    stage.clock.ms += 3 * 24 * 3_600_000;
    await resumeEndpoint(ctx(), endpointId);
    await drain();
    expect(await stored()).toMatchObject({ status: 'pending', in_backlog: false });
  });
});

describe('a pause while no worker runs', () => {
  const HOUR_MS = 3_600_000;
  const THREE_DAYS_MS = 72 * HOUR_MS;
  const late = (set: string): string =>
    `status = 'retrying', attempts = 3, round_attempts = 3, lease_token = null,
     first_attempt_at = now() - interval '23 hours', next_attempt_at = now() + interval '1 hour', ${set}`;
  const unowned = "owned_by_workflow = false, lease_until = now() + interval '1 hour'";

  const WAITING = [
    ['by its workflow', 'owned_by_workflow = true'],
    ['in the lane', unowned],
    ['in the backlog', `${unowned}, in_backlog = true`],
  ] as const;
  const firstMs = (row: Readonly<Record<string, unknown>> | undefined): number =>
    Number(row?.['first_attempt_at']);

  it.each(WAITING)('and a resume take nothing of the 24 hours of what waits %s', async (_, set) => {
    const { ctx, endpointId, attempt, drain, stored } = await stage.scene(1, late(set));
    const before = await stored();
    await pauseEndpoint(ctx(), endpointId);
    stage.clock.ms += THREE_DAYS_MS;
    await resumeEndpoint(ctx(), endpointId);

    expect(firstMs(await stored()) - firstMs(before)).toBe(THREE_DAYS_MS);
    await drain();
    if (set.includes('true')) await attempt();
    expect(await stored()).toMatchObject({
      status: 'retrying',
      attempts: set.startsWith('owned_by_workflow = true') ? 4 : 3,
      in_backlog: false,
    });
  });

  it.each(WAITING)(
    'and a resume give all 24 hours to what began as it did, and waits %s',
    async (_, set) => {
      const { ctx, endpointId, rows, stored } = await stage.scene(1, late(set));
      await pauseEndpoint(ctx(), endpointId);
      await rows(
        `update webhook_deliveries d set first_attempt_at = e.paused_at + interval '2 seconds'
         from webhook_endpoints e where e.id = d.endpoint_id and e.id = $1`,
      );
      const begun = await stored();
      stage.clock.ms += THREE_DAYS_MS;
      await resumeEndpoint(ctx(), endpointId);

      expect(firstMs(await stored()) - firstMs(begun)).toBe(THREE_DAYS_MS - 2_000);
    },
  );

  it('holds what its workflow finds when it comes back, with the time it had left', async () => {
    const { ctx, endpointId, attempt, drain, stored } = await stage.scene(
      1,
      late('owned_by_workflow = true'),
    );
    await pauseEndpoint(ctx(), endpointId);
    stage.clock.ms += THREE_DAYS_MS;
    expect(await attempt()).toMatchObject({ next: 'end', status: 'held' });

    await resumeEndpoint(ctx(), endpointId);
    await drain();
    expect(await stored()).toMatchObject({ status: 'pending', in_backlog: false, attempts: 3 });
  });

  it('is not given twice when an operator cancels the drain that was to give it, and it is resumed again', async () => {
    const { ctx, endpointId, rows, stored } = await stage.scene(1, late(unowned));
    const before = await stored();
    // As the first resume leaves it when more waits than it changes itself.
    await inWorkspace(stage.database, ctx().organizationId, async (sql) => {
      await sql.rows(
        `update webhook_endpoints set drain_at = null, backlog_held_at = now(), paused_at = now() - interval '1 hour'
         where id = $1`,
        [endpointId],
      );
      await sql.rows(
        `insert into webhook_deliveries (day, organization_id, id, endpoint_id, event_id, type, status, created_at,
           in_backlog, held_at, lease_until)
         select day, organization_id, id || 'H', endpoint_id, event_id, type, 'held', created_at, true, now(), now()
         from webhook_deliveries where endpoint_id = $1`,
        [endpointId],
      );
    });

    await resumeEndpoint(ctx(), endpointId);

    expect(await stored()).toMatchObject({ first_attempt_at: before?.['first_attempt_at'] });
    expect(
      await rows('select paused_at is not null as owes from webhook_endpoints where id = $1'),
    ).toEqual([{ owes: true }]);
  });

  it('and a resume give its time, once, to more than the resume does itself: the drain holds the backlog', async () => {
    const { ctx, endpointId, first, rows, drain, stored } = await stage.scene(1);
    const { organizationId } = ctx();
    const events = await sentEvents(stage.database, organizationId, 10_200);
    const taker = { token: 'nobody', full: [endpointId] };
    for (let made = 0; made < events.length; )
      made += (await fanOut(sqlOver(stage.database.system), taker, 5_000, events)).facts;
    await rows(
      `update webhook_deliveries set ${late(unowned)}, in_backlog = id <> '${first.deliveryId}' where endpoint_id = $1`,
    );
    const before = await stored();

    await pauseEndpoint(ctx(), endpointId);
    stage.clock.ms += HOUR_MS;
    await resumeEndpoint(ctx(), endpointId);
    expect(await drain()).toMatchObject({ stage: 'holding' });
    await resumeEndpoint(ctx(), endpointId);
    for (let step = await drain(); step.next === 'look' && step.stage === 'holding'; )
      step = await drain();

    // Released or not, as whatever was held: those in the lane alone keep their times.
    const left = `first_attempt_at + coalesce('${stage.clock.now().toISOString()}' - held_at, '0')`;
    const found = await rows(
      `select status = 'retrying' as waits, ${left} as began, count(*)::int as n
       from webhook_deliveries where endpoint_id = $1 group by 1, 2 order by 1`,
    );
    const began = new Date(Number(before?.['first_attempt_at']) + HOUR_MS);
    expect(found).toEqual([
      { waits: false, began, n: 10_200 },
      { waits: true, began, n: 1 },
    ]);
    // Else some of them would be strays for the tests that follow, as soon as they are old enough.
    await rows('delete from webhook_deliveries where endpoint_id = $1');
  });
});

describe('our own resolver, while it is down,', () => {
  it('costs a retry nothing: it is due in half a minute, and at once when somebody sends it again', async () => {
    const down = { kind: 'unavailable', reason: 'ETIMEOUT' } as const;
    const blind = createSafeSender({ trustedOrigins: [], resolve: async () => down });
    const { ctx, endpointId, first, attempt, stored } = await stage.scene(1, RETRYING);
    await updateEndpoint(ctx(), endpointId, { url: 'https://shop.com/' }, { trustedOrigins: [] });

    const step = await attempt(blind);

    await blind.close();
    expect(step).toMatchObject({ next: 'wait', attempts: 1, waitMs: 30_000 });
    const next_attempt_at = new Date(stage.clock.ms + 30_000);
    expect(await stored()).toMatchObject({ attempts: 1, lease_token: null, next_attempt_at });
    expect(await resendDelivery(ctx(), first)).toMatchObject({ status: 'pending', attempts: 1 });
  });
});

describe('a deleted endpoint', () => {
  it('leaves nothing behind of what was put into the lane when its drain had ended', async () => {
    const { ctx, endpointId, rows, drain, stored } = await stage.scene(1);
    await deleteEndpoint(ctx(), endpointId);
    await drain();
    const late = `status = 'pending', finished_at = null, owned_by_workflow = false, lease_token = null,
      lease_until = now() - interval '30 seconds'`;
    await rows(`update webhook_deliveries set ${late} where endpoint_id = $1`);

    const sql = sqlOver(stage.database.system);
    const claimed = await claimDue(sql, { token: 'tests', full: [] }, 100);
    expect(claimed.map((attempt) => attempt.endpointId)).not.toContain(endpointId);
    expect(await startStrays(sql)).toBe(1);
    expect(await drain()).toMatchObject({ next: 'end' });
    expect(await stored()).toMatchObject({ status: 'failed' });
    expect(await startStrays(sql)).toBe(0);
  });

  it('leaves to each delivery what its last attempt was answered, in whichever lane', async () => {
    const { ctx, endpointId, rows, attempt, drain } = await stage.scene(2, RETRYING);
    await rows("update webhook_deliveries set error = 'status', code = 503 where endpoint_id = $1");
    await rows(`update webhook_deliveries set owned_by_workflow = false, in_backlog = true, lease_until = now()
      where id = (select max(id) from webhook_deliveries where endpoint_id = $1)`);
    await deleteEndpoint(ctx(), endpointId);

    await attempt();
    await drain();

    const ended = { status: 'failed', error: 'status', code: 503 };
    expect(
      await rows('select status, error, code from webhook_deliveries where endpoint_id = $1'),
    ).toEqual([ended, ended]);
  });

  it('needs no drain any more when a workflow ended what stood in its backlog', async () => {
    const { ctx, endpointId, first, attempt, drain, stored } = await stage.scene(1, RETRYING);
    await resendDelivery(ctx(), first);
    await pauseEndpoint(ctx(), endpointId);
    await drain();
    expect(await stored()).toMatchObject({ status: 'held', in_backlog: true });
    await deleteEndpoint(ctx(), endpointId);

    expect(await attempt()).toMatchObject({ next: 'end', status: 'failed' });
    expect(await drain()).toMatchObject({ next: 'end' });
    expect(await startStrays(sqlOver(stage.database.system))).toBe(0);
    expect(await stored()).toMatchObject({ status: 'failed', in_backlog: false });
  });
});
