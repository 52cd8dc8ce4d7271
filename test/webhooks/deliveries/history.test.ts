import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { inWorkspace, sqlOver } from '../../../src/db/database.ts';
import { dropHistory } from '../../../src/webhooks/deliveries/history.ts';
import { drainBacklog } from '../../../src/webhooks/lanes/backlog/backlog.ts';
import { pauseEndpoint, resumeEndpoint } from '../../../src/webhooks/pausing.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { daysAgo, pastEndpoint, pastPartitions } from '../../support/past-days.ts';
import { relayScene } from '../../support/relay-scene.ts';
import { eventually } from '../../support/waiting.ts';

const { scene, start, anEndpointOf } = relayScene();
const always = (): boolean => true;
const aPastEndpoint = async () => {
  const { workspaceId, endpointId } = await anEndpointOf();
  return pastEndpoint(scene, { organizationId: workspaceId, endpointId });
};
const system = () => sqlOver(scene.database.system);

const count = async (table: string, column: string, id: string): Promise<number> => {
  const [row] = await system().rows<{ n: number }>(
    `select count(*) as n from ${table} where ${column} = $1`,
    [id],
  );
  return row?.n ?? 0;
};

describe('history that is more than 30 days past', () => {
  it('goes by whole days, with events and attempts, while 30 days stay', async () => {
    const { delivery, left } = await aPastEndpoint();
    const ended = { status: 'succeeded', attempts: 1 };
    const old = await delivery(31, { ...ended, finishedAt: daysAgo(31) });
    const young = await delivery(30, { ...ended, finishedAt: daysAgo(30) });

    const done = await dropHistory(scene.database, always);

    expect(done).toEqual({ ranges: 1, ended: 0, finished: true });
    expect(await left()).toEqual([young.id]);
    expect(await count('events', 'id', old.eventId)).toBe(0);
    expect(await count('webhook_attempts', 'delivery_id', old.id)).toBe(0);
    expect(await count('webhook_attempts', 'delivery_id', young.id)).toBe(1);
    expect(await pastPartitions(scene.database)).toEqual(
      ['events', 'webhook_attempts', 'webhook_deliveries'].map(
        (parent) => `${parent}_${young.day.replaceAll('-', '')}`,
      ),
    );
  });

  it('is finished with at once when there is nothing to do, and after it was done', async () => {
    expect(await dropHistory(scene.database, always)).toEqual({
      ranges: 0,
      ended: 0,
      finished: true,
    });
  });

  it('lets everything stay that is held, pending or retrying, in whichever lane, as it was', async () => {
    const { delivery, left } = await aPastEndpoint();
    const open = [
      await delivery(40, { status: 'held', attempts: 3 }),
      await delivery(40, { status: 'pending' }),
      await delivery(40, { status: 'pending', inBacklog: true }),
      await delivery(40, { status: 'retrying', attempts: 5, ownedByWorkflow: true }),
      await delivery(40, { status: 'retrying', attempts: 2, inBacklog: true }),
    ];
    const gone = await delivery(40, { status: 'failed', attempts: 12, finishedAt: daysAgo(39) });
    const rows = (): Promise<unknown[]> =>
      system().rows('select * from webhook_deliveries where id = any($1) order by id', [
        open.map(({ id }) => id),
      ]);
    const before = await rows();

    await dropHistory(scene.database, always);

    expect(await rows()).toEqual(before);
    expect(before).toHaveLength(5);
    expect(await left()).not.toContain(gone.id);
    expect(await count('events', 'id', gone.eventId)).toBe(0);
    for (const { id, day, eventId, body } of open) {
      expect(
        await system().rows('select body from events where day = $1 and id = $2', [day, eventId]),
      ).toEqual([{ body }]);
      expect(
        await system().rows('select id from webhook_deliveries where day = $1 and id = $2', [
          day,
          id,
        ]),
      ).toHaveLength(1);
    }
    expect(await count('webhook_attempts', 'delivery_id', open[3]?.id ?? '')).toBe(5);
  });

  it('goes out when its endpoint is resumed after 42 days: same ids and bodies, with the attempts and hours that were left', async () => {
    const { ctx, workspaceId: organizationId, endpointId } = await anEndpointOf();
    const { delivery } = pastEndpoint(scene, { organizationId, endpointId });
    await pauseEndpoint({ ...ctx, now: daysAgo(42) }, endpointId);
    const held = [
      await delivery(42, { status: 'held', attempts: 3 }),
      await delivery(41, { status: 'held' }),
      await delivery(33, { status: 'held' }),
    ];
    const gone = await delivery(42, { status: 'succeeded', finishedAt: daysAgo(42) });
    await dropHistory(scene.database, always);

    const resumedAt = new Date();
    await resumeEndpoint({ ...ctx, now: resumedAt }, endpointId);
    const clock = { now: () => resumedAt, skewMs: 0 };
    const parts = { database: scene.database, clock, wake: () => {} };
    await drainBacklog(parts, { organizationId, endpointId });
    await start();

    const rows = (): Promise<unknown[]> =>
      system().rows(
        `select d.id, d.status, d.attempts, d.first_attempt_at >= $2 as fresh, count(a)::int as logged
         from webhook_deliveries d left join webhook_attempts a on a.day = d.day and a.delivery_id = d.id
         where d.endpoint_id = $1 group by d.id, d.status, d.attempts, d.first_attempt_at order by d.id`,
        [endpointId, new Date(resumedAt.getTime() - 60_000)],
      );
    const delivered = held.map(({ id }, n) => {
      const attempts = n === 0 ? 4 : 1;
      return { id, status: 'succeeded', attempts, fresh: true, logged: attempts };
    });
    await eventually(async () => isDeepStrictEqual(await rows(), delivered));
    const got = scene.receiver.received
      .filter(({ path }) => path === `/${organizationId}`)
      .map(({ headers, body }) => [headers['webhook-id'], body]);
    expect(got.sort()).toEqual(held.map(({ eventId, body }) => [eventId, body]).sort());
    expect(await count('events', 'id', gone.eventId)).toBe(0);
  });

  it('stays the workspace’s own where it was kept: another one sees none of it', async () => {
    const { delivery, organizationId } = await aPastEndpoint();
    const { id } = await delivery(41, { status: 'held', attempts: 1 });
    const { workspaceId: other } = await aWorkspace(scene.database);

    await dropHistory(scene.database, always);

    const seenBy = (workspace: string) =>
      inWorkspace(scene.database, workspace, async (sql) => ({
        deliveries: await sql.rows('select id from webhook_deliveries'),
        attempts: await sql.rows('select delivery_id as id from webhook_attempts'),
        events: (await sql.rows('select id from events')).length,
      }));
    expect(await seenBy(organizationId)).toEqual({
      deliveries: [{ id }],
      attempts: [{ id }],
      events: 1,
    });
    expect(await seenBy(other)).toEqual({ deliveries: [], attempts: [], events: 0 });
    const kept = (await pastPartitions(scene.database)).filter((name) => name.includes('_kept_'));
    expect(kept.length).toBeGreaterThan(0);
    for (const name of kept)
      await expect(system().rows(`select from ${name}`)).rejects.toMatchObject({ code: '42501' });
  });

  it('shows what was kept for 30 days more after its end, then lets go of it and its event', async () => {
    const { delivery, left } = await aPastEndpoint();
    const shown = await delivery(90, { status: 'held', attempts: 1 });
    const over = await delivery(90, { status: 'held', attempts: 1 });
    const held = await delivery(90, { status: 'held' });
    await dropHistory(scene.database, always);
    const end = (id: string, at: Date) =>
      system().rows(
        `update webhook_deliveries set status = 'failed', in_backlog = false, finished_at = $2 where id = $1`,
        [id, at],
      );
    await end(shown.id, daysAgo(29.9));
    await end(over.id, daysAgo(30.1));

    const done = await dropHistory(scene.database, always);

    expect(done.ended).toBe(1);
    expect(await left()).toEqual([shown.id, held.id].sort());
    expect(await count('events', 'id', over.eventId)).toBe(0);
    expect(await count('webhook_attempts', 'delivery_id', over.id)).toBe(0);
    expect(await count('events', 'id', shown.eventId)).toBe(1);
    expect(await count('webhook_attempts', 'delivery_id', shown.id)).toBe(1);
  });

  it('brings what is left of a past month together, and drops it when nothing is left', async () => {
    const { delivery, left } = await aPastEndpoint();
    const month = new Date(Date.UTC(daysAgo(200).getUTCFullYear(), daysAgo(200).getUTCMonth(), 1));
    const age = (day: number): number => (Date.now() - month.getTime()) / 86_400_000 - day;
    const early = await delivery(age(3), { status: 'held' });
    const late = await delivery(age(20), { status: 'held' });

    await dropHistory(scene.database, always);

    const stamp = month.toISOString().slice(0, 7).replace('-', '');
    const ofMonth = async () =>
      (await pastPartitions(scene.database)).filter((name) => name.includes(stamp));
    expect(await ofMonth()).toEqual(
      ['events', 'webhook_attempts', 'webhook_deliveries'].map((parent) =>
        expect.stringContaining(`${parent}_kept_${stamp}01_`),
      ),
    );
    expect(await left()).toEqual([early.id, late.id]);
    await system().rows(
      `update webhook_deliveries set status = 'failed', in_backlog = false, finished_at = $2 where id = any($1)`,
      [[early.id, late.id], daysAgo(31)],
    );
    await dropHistory(scene.database, always);
    expect(await ofMonth()).toEqual([]);
    expect(await left()).toEqual([]);
  });
});

describe('the days ahead', () => {
  it('get their partitions while past days are kept, and a day without one is still refused', async () => {
    const { delivery, organizationId } = await aPastEndpoint();
    await delivery(50, { status: 'held' });
    await dropHistory(scene.database, always);

    await system().rows('select wms.ensure_partitions(9)');

    const insert = (day: Date) =>
      system().rows(
        `insert into events (day, organization_id, id, type, body, created_at) values ($1, $2, 'evt_x', 'message.sent', '{}', now())`,
        [day.toISOString().slice(0, 10), organizationId],
      );
    await expect(insert(daysAgo(-9))).resolves.toEqual([]);
    await expect(insert(daysAgo(-12))).rejects.toMatchObject({ code: '23514' });
    await expect(insert(daysAgo(400))).rejects.toMatchObject({ code: '23514' });
  });

  it('cannot be dropped, nor can the last 30', async () => {
    const today = daysAgo(0).toISOString().slice(0, 10);
    const past = daysAgo(29).toISOString().slice(0, 10);

    for (const until of [today, past]) {
      await expect(
        system().rows('select wms.keep_history($1::date - 1, $1::date, false)', [until]),
      ).rejects.toThrow('the history of the last 30 days stays as it is');
    }
  });
});
