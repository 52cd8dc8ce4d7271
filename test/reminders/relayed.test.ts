import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { NativeConnection, Worker } from '@temporalio/worker';
import { reminderActivities } from '../../activities/reminders.ts';
import type { Context } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import type { Reaction } from '../../src/relay/reactions.ts';
import { createReconciler } from '../../src/relay/reconciler.ts';
import { cancelReminder } from '../../src/reminders/cancelling.ts';
import { newReminderBody } from '../../src/reminders/schema.ts';
import { changeReminder, createReminder } from '../../src/reminders/service.ts';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { devServer, workflowBundle } from '../support/env.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { keepHistory } from '../support/histories.ts';
import { relayScene } from '../support/relay-scene.ts';
import { rowsOf } from '../support/rows-of.ts';
import { eventually } from '../support/waiting.ts';

const { scene, start } = relayScene();
const { address: temporalAddress } = devServer();

let connection: NativeConnection;
let stopWorker: (() => Promise<void>) | undefined;
beforeAll(async () => {
  connection = await NativeConnection.connect({ address: temporalAddress });
});
afterAll(() => connection.close());
afterEach(async () => {
  await stopWorker?.();
  stopWorker = undefined;
});

const fresh = (ctx: Context): Context =>
  createContext(
    { database: scene.database, wake: () => {} },
    { organizationId: ctx.organizationId, actor: ctx.actor, now: new Date() },
  );
async function running() {
  const relay = await start({ temporalAddress });
  await registerSearchAttributes(relay.client.connection as never, 'default');
  const worker = await Worker.create({
    connection,
    taskQueue: relay.taskQueue,
    workflowBundle,
    activities: reminderActivities({
      contextFor: (organizationId, actor) =>
        createContext(
          { database: scene.database, wake: relay.waker.wake },
          { organizationId, actor, now: new Date() },
        ),
    }),
  });
  const ended = worker.run();
  stopWorker = async () => {
    worker.shutdown();
    await ended;
  };
  return relay;
}

/** Daily to a contact, the next time in about twelve hours. */
async function asleep() {
  const { ctx } = await aWorkspace(scene.database, { plan: 'escala' });
  const { id: number_id } = await aNumber(ctx);
  const { id: contact_id } = await aContact(ctx);
  const make = async () => {
    const time = new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16);
    const body = {
      title: 'Consulta',
      text: 'Sua consulta é amanhã',
      target: 'contact',
      repeat: 'daily',
    };
    const wishes = { ...body, contact_id, number_id, time, time_zone: 'UTC' };
    return (await createReminder(fresh(ctx), newReminderBody.parse(wishes))).id;
  };
  return { ctx, make };
}

/** What one round of the reconciler asks Temporal for, of these workflows. */
async function asked(ids: readonly string[]): Promise<string[]> {
  const wanted: Reaction[] = [];
  const calls = {
    perform: async (reaction: Reaction) => {
      wanted.push(reaction);
    },
  };
  await createReconciler({ database: scene.database, calls })();
  const names = wanted.flatMap((each) => ('workflowId' in each ? [each.workflowId] : []));
  return names.filter((name) => ids.some((id) => name === `reminder:${id}`));
}

describe('the workflow of a reminder', () => {
  it('sleeps where an operator finds it by words and ids, and ends when the reminder is cancelled', async () => {
    const { client } = await running();
    const { ctx, make } = await asleep();
    const id = await make();
    const handle = client.workflow.getHandle(`reminder:${id}`);
    const stage = async (): Promise<unknown> => {
      const described = await handle.describe().catch(() => null);
      return described?.searchAttributes['WmsStage']?.[0];
    };
    await eventually(async () => (await stage()) === 'sleeping');

    const described = await handle.describe();
    expect(await described.staticSummary()).toBe('Sends a reminder whenever it is due');
    const [row] = await rowsOf<{ next: Date }>(ctx, 'select next_run_at as next from reminders');
    expect(described.searchAttributes['WmsNextAt']).toEqual([row?.next]);
    await cancelReminder(fresh(ctx), id);
    await handle.result();

    const { events } = await handle.fetchHistory();
    const readable = JSON.stringify(events).replace(/"data":"([\w+/=]+)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString(),
    );
    expect(readable).toContain(ctx.organizationId);
    expect(readable).not.toMatch(/Consulta|consulta|Ana/);
  });

  it('costs Temporal no task and no worker until its time, unless the reminder is changed', async () => {
    const { client } = await running();
    const { ctx, make } = await asleep();
    const [calm = '', changed = ''] = [await make(), await make()];
    const events = async (id: string): Promise<number> => {
      const { raw } = await client.workflow.getHandle(`reminder:${id}`).describe();
      return Number(raw.workflowExecutionInfo?.historyLength ?? 0);
    };
    await eventually(async () => (await events(changed).catch(() => 0)) > 0);

    await changeReminder(fresh(ctx), changed, { text: 'Sua consulta mudou' });

    await eventually(async () => (await events(changed)) > 5);
    expect(await events(calm)).toBe(1);
    const listed = async (): Promise<unknown> =>
      (await client.workflow.getHandle(`reminder:${changed}`).describe()).searchAttributes[
        'WmsStage'
      ]?.[0];
    await eventually(async () => (await listed()) === 'sleeping');
    const { searchAttributes } = await client.workflow.getHandle(`reminder:${changed}`).describe();
    const [row] = await rowsOf<{ next: Date }>(
      ctx,
      'select next_run_at as next from reminders where id = $1',
      [changed],
    );
    const at = searchAttributes['WmsNextAt']?.[0] as Date | undefined;
    expect(Math.abs((at?.getTime() ?? 0) - (row?.next.getTime() ?? 0))).toBeLessThan(10_000);
  });

  it('ends its reminder when it is cancelled in its first sleep', async () => {
    const { client } = await running();
    const { ctx, make } = await asleep();
    const id = await make();
    const handle = client.workflow.getHandle(`reminder:${id}`);
    await eventually(async () => (await handle.describe().catch(() => null)) !== null);

    await handle.cancel();

    await expect(handle.result()).rejects.toThrow(/cancel/i);
    expect(await rowsOf(ctx, 'select status, wakes_at, looks_at from reminders')).toEqual([
      { status: 'cancelled', wakes_at: null, looks_at: null },
    ]);
    await keepHistory(handle, 'run-reminder-cancelled-in-its-first-sleep');
  });

  it('that was terminated is started again when it should have looked; its reminder goes out meanwhile, and one that sleeps is left alone', async () => {
    const { client } = await running();
    const { ctx, make } = await asleep();
    const [lost = '', calm = ''] = [await make(), await make()];
    const handle = client.workflow.getHandle(`reminder:${lost}`);
    await eventually(async () => (await handle.describe().catch(() => null)) !== null);
    await handle.terminate('by an operator');
    expect(await asked([lost, calm])).toEqual([]);

    await rowsOf(
      ctx,
      `update reminders set due_day = ((now() - interval '2 minutes') at time zone 'UTC')::date,
         time = to_char((now() - interval '2 minutes') at time zone 'UTC', 'HH24:MI'),
         next_run_at = now() - interval '2 minutes', wakes_at = now() - interval '2 minutes',
         looks_at = now() - interval '1 minute' where id = $1`,
      [lost],
    );

    await eventually(async () => {
      const found = await rowsOf(ctx, 'select from reminder_runs where reminder_id = $1', [lost]);
      return found.length === 1;
    });
    await eventually(async () => (await handle.describe()).status.name === 'RUNNING');
    expect(await rowsOf(ctx, 'select from reminder_runs where reminder_id = $1', [calm])).toEqual(
      [],
    );
  });

  it('is asked for by no round of the reconciler while it sleeps, however many do', async () => {
    const { ctx, make } = await asleep();
    const first = await make();
    await rowsOf(
      ctx,
      `insert into reminders select (jsonb_populate_record(r, jsonb_build_object('id', r.id || lpad(n::text, 5, '0')))).*
       from reminders r, generate_series(1, 3000) n`,
    );
    const all = await rowsOf<{ id: string }>(ctx, 'select id from reminders');
    expect(all).toHaveLength(3001);

    expect(await asked(all.map(({ id }) => id))).toEqual([]);
    await rowsOf(ctx, "update reminders set looks_at = now() - interval '1 minute' where id = $1", [
      first,
    ]);
    expect(await asked([first])).toEqual([`reminder:${first}`]);
  });
});
