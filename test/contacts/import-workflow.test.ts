import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { contactImportRoutes } from '../../src/contacts/imports/routes.ts';
import { importSome } from '../../src/contacts/imports/steps.ts';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { unavailable } from '../../src/errors.ts';
import { statementsWaiting } from '../support/database.ts';
import { timeSkipping } from '../support/env.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { keepHistory } from '../support/histories.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';
import { eventually } from '../support/waiting.ts';
import {
  contextsOf,
  type ImportWorker,
  imported,
  manyPeople,
  runImportWorker,
} from './support/imports.ts';

let door: OpenDoor;
let time: TestWorkflowEnvironment;
let worker: ImportWorker;
let ctx: Context;
let key: string;
/** So many contexts were asked for, and so many more will be refused. */
let begun = 0;
let away = 0;

beforeAll(async () => {
  door = await openDoor({ routes: contactImportRoutes });
  time = await timeSkipping();
  const contexts = contextsOf(door.database);
  worker = await runImportWorker({
    client: time.client,
    connection: time.nativeConnection,
    contextFor: (organizationId, actor) => {
      begun += 1;
      if (away > 0) {
        away -= 1;
        throw unavailable('The database is gone.');
      }
      return contexts(organizationId, actor);
    },
  });
  ({ ctx } = await aWorkspace(door.database));
  ({ key } = await anApiKey(ctx));
});
afterAll(async () => {
  await worker.stop();
  await time.teardown();
  await door.close();
});

const refOf = (importId: string) => ({ organizationId: ctx.organizationId, importId });

const standing = async (id: string): Promise<unknown> => {
  const [row] = await inWorkspace(door.database, ctx.organizationId, (sql) =>
    sql.rows(
      `select i.status, i.created, i.unchanged,
         (select count(*) from contact_import_rows r where r.import_id = i.id and r.outcome is null) as left
       from contact_imports i where i.id = $1`,
      [id],
    ),
  );
  return row;
};

/** How many wait for a lock. */
const waiting = (): Promise<number> => statementsWaiting(door.database.system);

describe('the workflow of an import', () => {
  it('takes every row in and ends, telling the operator how far it is without a name or phone', async () => {
    const { id } = await imported(door.api, key, manyPeople(1_200));

    const handle = await worker.start(refOf(id));
    await handle.result();

    expect(await standing(id)).toEqual({ status: 'done', created: 1200, unchanged: 0, left: 0 });
    const { events } = await handle.fetchHistory();
    const readable = JSON.stringify(events).replace(/"data":"([\w+/=]+)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString(),
    );
    expect(readable).toContain('WmsStage');
    expect(readable).not.toMatch(/Pessoa|5511983/);
    await keepHistory(handle, 'import-contacts-done');
  });

  it('goes on behind the last whole batch of a worker that is gone', async () => {
    const { id } = await imported(door.api, key, manyPeople(1_200, 2_000));
    await importSome(contextsOf(door.database), refOf(id), () => false);
    const between = await standing(id);

    const handle = await worker.start(refOf(id));
    await handle.result();

    expect(between).toMatchObject({ status: 'running', created: 500, left: 700 });
    expect(await standing(id)).toEqual({ status: 'done', created: 1200, unchanged: 0, left: 0 });
  });

  it('is tried again until the database is back', async () => {
    const { id } = await imported(door.api, key, manyPeople(20, 3_500));
    away = 2;

    const handle = await worker.start(refOf(id));
    await handle.result();

    expect(away).toBe(0);
    expect(await standing(id)).toEqual({ status: 'done', created: 20, unchanged: 0, left: 0 });
    await keepHistory(handle, 'import-contacts-tried-again');
  });

  it('cancelled by an operator stops after the batch in hand, and who is in stays in', async () => {
    const { id } = await imported(door.api, key, manyPeople(1_500, 4_000));
    const handle = await inWorkspace(door.database, ctx.organizationId, async (sql) => {
      // Whoever wants the next batch waits for this lock.
      await sql.rows('select 1 from contact_imports where id = $1 for update', [id]);
      const before = begun;
      const started = await worker.start(refOf(id));
      await eventually(() => begun > before);
      await started.cancel();
      // So does what ends the import, behind the batch.
      await eventually(async () => (await waiting()) === 2);
      return started;
    });
    await expect(handle.result()).rejects.toThrow(/cancel/i);

    const after = (await standing(id)) as { status: string; created: number; left: number };
    expect(after.status).toBe('cancelled');
    // Between two batches the row is free for a moment: the next one may take it sooner than who waited for it.
    expect([0, 500, 1_000]).toContain(after.created);
    expect(after.left).toBe(1_500 - after.created);
    await keepHistory(handle, 'import-contacts-cancelled-by-operator');
  });

  it('ends at once for an import that is over, or never was', async () => {
    const { id } = await imported(door.api, key, manyPeople(1, 9_000));
    await door.api.call('POST', `/api/v1/contacts/imports/${id}/cancel`, { key });

    await (await worker.start(refOf(id))).result();
    await (await worker.start(refOf('imp_01JD8B6V0R5Q9T3XK2M7N4P1WZ'))).result();

    expect(await standing(id)).toMatchObject({ status: 'cancelled', left: 1 });
  });
});
