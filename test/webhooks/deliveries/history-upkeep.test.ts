import { describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { sqlOver } from '../../../src/db/database.ts';
import { ensureSchedules } from '../../../src/temporal/schedules.ts';
import { dropHistory } from '../../../src/webhooks/deliveries/history.ts';
import { devServer } from '../../support/env.ts';
import { daysAgo, pastEndpoint } from '../../support/past-days.ts';
import { relayScene } from '../../support/relay-scene.ts';
import { runUpkeep } from '../../support/upkeep.ts';
import { eventually } from '../../support/waiting.ts';

const { scene, anEndpointOf } = relayScene();
const always = (): boolean => true;
const system = () => sqlOver(scene.database.system);
/** Who waits to have the deliveries alone, here: the tables of the other files' databases have the same oids. */
const WAITING = `from pg_locks where not granted and mode = 'AccessExclusiveLock'
  and relation = 'webhook_deliveries'::regclass
  and database = (select oid from pg_database where datname = current_database())`;
const aPastEndpoint = async () => {
  const { workspaceId, endpointId } = await anEndpointOf();
  return pastEndpoint(scene, { organizationId: workspaceId, endpointId });
};

describe('an event that was kept', () => {
  it('goes with the last of its deliveries', async () => {
    const { delivery } = await aPastEndpoint();
    const { id, eventId } = await delivery(90, { status: 'held' });
    const other = `${id.slice(0, 14)}${'A'.repeat(16)}`;
    await system().rows(
      `insert into webhook_deliveries
       select (jsonb_populate_record(d, jsonb_build_object('id', $2::text, 'endpoint_id', 'whk_other'))).*
       from webhook_deliveries d where id = $1`,
      [id, other],
    );
    await dropHistory(scene.database, always);
    const leftAfter = async (ended: string): Promise<number> => {
      await system().rows(
        `update webhook_deliveries set status = 'failed', in_backlog = false, finished_at = $2 where id = $1`,
        [ended, daysAgo(31)],
      );
      await dropHistory(scene.database, always);
      return (await system().rows('select from events where id = $1', [eventId])).length;
    };

    expect(await leftAfter(id)).toBe(1);
    expect(await leftAfter(other)).toBe(0);
  });
});

describe('what changes while a day is copied', () => {
  it('is kept as it is then: an attempt that was recorded, a delivery that was sent again', async () => {
    const { delivery, organizationId } = await aPastEndpoint();
    const tried = await delivery(60, { status: 'retrying', attempts: 1, ownedByWorkflow: true });
    const again = await delivery(60, { status: 'failed', attempts: 2, finishedAt: daysAgo(59) });
    const lane = await scene.database.system.connect();
    await lane.query('begin; lock table only webhook_deliveries in row exclusive mode');
    const dropping = dropHistory(scene.database, always);
    const copied = async () => (await system().rows(`select ${WAITING}`)).length > 0;
    await eventually(copied);

    await lane.query(
      `update webhook_deliveries set status = 'succeeded', attempts = 2, owned_by_workflow = false, finished_at = now() where id = $1`,
      [tried.id],
    );
    await lane.query(
      `insert into webhook_attempts (day, organization_id, delivery_id, number, started_at, code, duration_ms)
       values ($1, $2, $3, 2, now(), 200, 5)`,
      [tried.day, organizationId, tried.id],
    );
    await lane.query(
      `update webhook_deliveries set status = 'pending', finished_at = null, lease_until = now() where id = $1`,
      [again.id],
    );
    await lane.query('commit');
    lane.release();
    await dropping;

    const kept = await system().rows(
      `select d.id, d.status, d.attempts, count(a)::int as logged, v.body from webhook_deliveries d
       join events v on v.day = d.day and v.id = d.event_id
       left join webhook_attempts a on a.day = d.day and a.delivery_id = d.id
       where d.day = $1 group by d.id, d.status, d.attempts, v.body order by d.id`,
      [tried.day],
    );
    expect(kept).toEqual(
      [
        { id: tried.id, status: 'succeeded', attempts: 2, logged: 2, body: tried.body },
        { id: again.id, status: 'pending', attempts: 2, logged: 2, body: again.body },
      ].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  });
});

describe('a process that dies in the middle', () => {
  it('leaves everything as it was, and the next one does it', async () => {
    const { delivery, left } = await aPastEndpoint();
    const held = await delivery(105, { status: 'held' });
    const over = await delivery(105, { status: 'succeeded', finishedAt: daysAgo(105) });
    const lane = await scene.database.system.connect();
    await lane.query('begin; lock table only webhook_deliveries in row exclusive mode');
    const dropping = dropHistory(scene.database, always).catch((error: unknown) => error);
    const end = `select pg_terminate_backend(pid) ${WAITING}`;
    const owner = new pg.Client({ connectionString: scene.testDatabase.url });
    await owner.connect();
    await eventually(async () => (await owner.query(end)).rows.length > 0);
    await owner.end();

    expect(await dropping).toBeInstanceOf(Error);
    await lane.query('rollback');
    lane.release();

    expect(await left()).toEqual([held.id, over.id]);
    expect(
      await system().rows(`select from pg_class where relkind = 'r' and relname like '%staged'`),
    ).toEqual([]);
    await dropHistory(scene.database, always);
    expect(await left()).toEqual([held.id]);
  });
});

describe('while somebody reads the tables for hours, as a backup does', () => {
  it('the upkeep keeps webhooks waiting for a few moments once, and a later hour does it', async () => {
    const { delivery, left } = await aPastEndpoint();
    const held = await delivery(140, { status: 'held' });
    const older = await delivery(195, { status: 'held' });
    const backup = await scene.database.system.connect();
    await backup.query('begin');
    await backup.query('select from events limit 1');
    let steps = 0;
    const counted = (): boolean => ++steps > 0;

    const [tidied] = await Promise.allSettled([dropHistory(scene.database, counted)]);
    await backup.query('commit');
    backup.release();

    expect(tidied).toMatchObject({ value: { ranges: 0, finished: true } });
    // One of the two days, and what has ended by now, which needs no table for itself.
    expect(steps).toBe(2);
    expect(await dropHistory(scene.database, always)).toMatchObject({ ranges: 2, finished: true });
    expect(new Set(await left())).toEqual(new Set([held.id, older.id]));
  });
});

describe('two processes at once', () => {
  it('never work on it together: the second is told to come back', async () => {
    const { delivery, left } = await aPastEndpoint();
    const { id } = await delivery(165, { status: 'held' });
    const client = await scene.database.system.connect();
    await client.query('begin; select pg_advisory_xact_lock(7261022)');

    const second = await dropHistory(scene.database, always).catch((error: unknown) => error);
    await client.query('rollback');
    client.release();

    expect(second).toMatchObject({ code: 'unavailable' });
    expect(await left()).toEqual([id]);
    expect(await dropHistory(scene.database, always)).toMatchObject({ finished: true });
  });
});

describe('the upkeep of the history', () => {
  it('is a workflow that goes on until all is done', async () => {
    const { delivery, left } = await aPastEndpoint();
    const held = await delivery(70, { status: 'held' });
    await delivery(71, { status: 'succeeded', finishedAt: daysAgo(71) });

    await runUpkeep({
      workflow: 'dropWebhookHistory',
      history: 'drop-webhook-history',
      database: scene.database,
    });

    expect(await left()).toEqual([held.id]);
  });

  it.each([
    ['webhook-history', 'dropWebhookHistory'],
    ['old-secrets', 'forgetOldSecrets'],
    ['keys', 'rotateKeys'],
  ])('is asked for once an hour, as are all: upkeep:%s', async (name, workflowType) => {
    const connection = await Connection.connect({ address: devServer().address });
    const client = new Client({ connection });

    await ensureSchedules(client, 'upkeep-tests');

    const { action, spec } = await client.schedule.getHandle(`upkeep:${name}`).describe();
    expect(action).toMatchObject({ workflowType, workflowId: `upkeep:${name}` });
    expect(spec.calendars?.[0]?.hour).toEqual([{ start: 0, end: 23, step: 1 }]);
    await connection.close();
  });
});
