import { afterEach, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../../src/db/database.ts';
import { resendChunk } from '../../../src/webhooks/deliveries/resending.ts';
import { drainBacklog } from '../../../src/webhooks/lanes/backlog/backlog.ts';
import { opened } from '../../support/opened.ts';
import {
  AGAIN,
  BLOCKED,
  FAILED,
  RETRYING,
  STORED,
  type Stored,
  SUCCEEDED,
} from '../support/ended.ts';
import { anEndpointScene, type EndpointScene, openWebhookDoor } from '../support/endpoint-scene.ts';

const door = opened(() => openWebhookDoor({ clock: { now, skewMs: 0 } }));
/** The machine's clock, but for the test that makes it stand still. */
let stoodStillAt: Date | undefined;
const now = (): Date => stoodStillAt ?? new Date();

afterEach(() => {
  stoodStillAt = undefined;
});

const scene = () => anEndpointScene(door);

const statuses = async ({ rows }: EndpointScene): Promise<string[]> =>
  (await rows<Stored>(STORED)).map(({ status }) => status);

describe('sending everything that fails again', () => {
  it('sends what is retrying, failed and blocked at once, and nothing else', async () => {
    const one = await scene();
    await one.deliveries(2, FAILED);
    await one.deliveries(1, BLOCKED);
    await one.deliveries(1, RETRYING);
    await one.deliveries(1, SUCCEEDED);
    await one.deliveries(1, "status = 'held', in_backlog = true");
    await one.deliveries(1);

    const answer = await one.call('POST', '/resend');

    expect([answer.status, answer.body]).toEqual([200, { resent: 4 }]);
    const rows = await one.rows<Stored>(STORED);
    expect(rows.filter(({ round }) => round === 2)).toEqual([AGAIN, AGAIN, AGAIN, AGAIN]);
    expect((await statuses(one)).toSorted()).toEqual([
      ...['held', 'pending', 'pending', 'pending', 'pending', 'pending', 'succeeded'],
    ]);
    expect(await one.commands()).toEqual(['delivery.changed']);
    expect(await one.log()).toEqual(['webhook.resent']);
  });

  it('twice, one after another or at once, is one: a double click', async () => {
    const one = await scene();
    await one.deliveries(3, FAILED);
    // All three within the two seconds that are one wish, however slow the machine is.
    stoodStillAt = new Date();

    const answers = await Promise.all([one.call('POST', '/resend'), one.call('POST', '/resend')]);
    await one.rows(`update webhook_deliveries set ${FAILED} where endpoint_id = $1`);
    const third = await one.call('POST', '/resend');

    expect(answers.map(({ body }) => body.resent).toSorted()).toEqual([0, 3]);
    expect(third.body).toEqual({ resent: 0 });
    expect(await one.log()).toEqual(['webhook.resent']);
  });

  it('of more than go at once, twice, is one as well', async () => {
    const one = await scene();
    await one.deliveries(250, FAILED);
    stoodStillAt = new Date();

    const first = await one.call('POST', '/resend');
    const second = await one.call('POST', '/resend');

    expect([first.body, second.body]).toEqual([{ resent: 250 }, { resent: 0 }]);
    expect((await statuses(one)).filter((status) => status === 'pending')).toHaveLength(200);
    expect(await one.log()).toEqual(['webhook.resent']);
    stoodStillAt = new Date(stoodStillAt.getTime() + 2_000);
    expect((await one.call('POST', '/resend')).body).toEqual({ resent: 50 });
  });

  it('leaves an attempt that is being made alone', async () => {
    const one = await scene();
    await one.deliveries(1, `${RETRYING}, lease_token = 'x', lease_until = now() + interval '9 s'`);

    expect((await one.call('POST', '/resend')).body).toEqual({ resent: 0 });
    expect(await statuses(one)).toEqual(['retrying']);
  });

  it('sends the 200 oldest at once and leaves the rest to the drain, counting all', async () => {
    const one = await scene();
    const ids = await one.deliveries(230, FAILED);

    const answer = await one.call('POST', '/resend');

    expect(answer.body).toEqual({ resent: 230 });
    const again = await one.rows<{ id: string }>(
      "select id from webhook_deliveries where endpoint_id = $1 and status = 'pending' order by id",
    );
    expect(again.map(({ id }) => id)).toEqual(ids.slice(0, 200));
    expect(await one.commands()).toEqual(['endpoint.changed']);
    expect(
      await one.rows(
        'select resend_before is not null as rest, drain_at is not null as looked from webhook_endpoints where id = $1',
      ),
    ).toEqual([{ rest: true, looked: true }]);
  });

  it('leaves one that somebody is just looking at to the drain, and counts it', async () => {
    const one = await scene();
    const [oldest] = await one.deliveries(3, RETRYING);
    const looking = await door.database.system.connect();

    await looking.query('begin');
    await looking.query('select from webhook_deliveries where id = $1 for update', [oldest]);
    const answer = await one.call('POST', '/resend');
    await looking.query('rollback');
    looking.release();

    expect(answer.body).toEqual({ resent: 3 });
    expect(await statuses(one)).toEqual(['retrying', 'pending', 'pending']);
    expect(await one.commands()).toContain('endpoint.changed');
    const parts = { database: door.database, clock: { now, skewMs: 0 }, wake: () => {} };
    await drainBacklog(parts, { organizationId: one.workspaceId, endpointId: one.id });
    expect(await statuses(one)).toEqual(['pending', 'pending', 'pending']);
  });

  it('puts the rest into the backlog chunk by chunk, each once, and nothing that failed later', async () => {
    const one = await scene();
    await one.deliveries(5, FAILED);
    const before = new Date();
    const later =
      "status = 'failed', first_attempt_at = now() + interval '1 minute', finished_at = now()";
    const [young] = await one.deliveries(1, later);
    const wish = { organizationId: one.workspaceId, endpointId: one.id, before, limit: 3 };
    const chunk = () =>
      inWorkspace(door.database, one.workspaceId, (sql) =>
        resendChunk(sql, { ...wish, to: 'backlog' }),
      );

    const first = await chunk();
    // The receiver fails again before the next chunk: that is no reason to begin anew.
    await one.rows(
      `update webhook_deliveries set ${FAILED}, in_backlog = false where endpoint_id = $1 and status = 'pending'`,
    );
    const counts = [first, await chunk(), await chunk()].map(({ resent }) => resent);

    expect(counts).toEqual([3, 2, 0]);
    const left = await one.rows<{ id: string; round: number; parked: boolean }>(
      'select id, round, in_backlog as parked from webhook_deliveries where endpoint_id = $1 order by id',
    );
    expect(left.filter(({ round }) => round > 2)).toEqual([]);
    expect(left.find(({ id }) => id === young)).toMatchObject({ round: 1 });
    expect(left.filter(({ parked }) => parked)).toHaveLength(2);
  });

  it('of a paused endpoint holds them until it is resumed', async () => {
    const one = await scene();
    await one.deliveries(2, FAILED);
    await one.call('POST', '/pause');

    expect((await one.call('POST', '/resend')).body).toEqual({ resent: 2 });
    expect(await one.rows<Stored>(STORED)).toEqual(
      Array.from({ length: 2 }, () => ({ ...AGAIN, status: 'held', parked: true })),
    );
  });

  it('of an endpoint for which nothing fails sends nothing and says so', async () => {
    const one = await scene();
    await one.deliveries(1, SUCCEEDED);

    expect((await one.call('POST', '/resend')).body).toEqual({ resent: 0 });
    expect([await one.commands(), await one.log()]).toEqual([[], []]);
  });
});
