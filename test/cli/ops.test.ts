import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import { deleteEndpoint } from '../../src/webhooks/service.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import type { Said } from '../support/shell.ts';
import { eventually } from '../support/waiting.ts';
import { type Made, openOperated, type Thing } from './support/operated.ts';

const operated = opened(openOperated);

const ops = (...args: string[]): Promise<Said> =>
  operated.shell.wmsAnywhere('ops', ...args, '--json');

/** The status of its newest execution; `NONE` before the first. */
async function execution({ start }: Thing): Promise<string> {
  try {
    const handle = operated.client.workflow.getHandle(start.workflowId);
    return (await handle.describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'NONE';
    throw error;
  }
}

const becomes = (thing: Thing, status: string): Promise<void> =>
  eventually(async () => (await execution(thing)) === status);

/** Made and under way: the workflow sleeps until something is due. That of an import would not, and be over before long. */
async function underWay(kind: Made): Promise<Thing> {
  const thing = await operated.make[kind]();
  const start = kind === 'import' ? { ...thing.start, asleepUntil: inAnHour() } : thing.start;
  await operated.begin({ ...thing, start });
  await becomes(thing, 'RUNNING');
  return thing;
}

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** The table of cancels: what the row says afterwards. */
const CANCELLED: readonly (readonly [Made, string, string])[] = [
  ['campaign', 'cancelled', 'campaign.cancelled'],
  ['delivery', 'failed', 'delivery.cancelled'],
  ['endpoint', 'held', 'webhook.held'],
  ['import', 'cancelled', 'contact.import_cancelled'],
  ['run', 'cancelled', 'automation.run_cancelled'],
  ['reminder', 'cancelled', 'reminder.cancelled'],
];

describe('Cancel in the Temporal UI', () => {
  it.each(CANCELLED)(
    'leaves the row of a %s %s, and %s in the log',
    async (kind, status, action) => {
      const thing = await underWay(kind);

      await operated.cancel(thing.start.workflowId);
      await becomes(thing, 'CANCELLED');

      expect(await thing.status()).toBe(status);
      expect(await operated.logged(thing, 'Temporal operator')).toEqual([action]);
      const { json } = await ops('explain', thing.id);
      expect(json).toMatchObject({ kind, agree: true, workflow: { state: 'cancelled' } });
    },
  );
});

describe('Terminate in the Temporal UI', () => {
  it.each(CANCELLED)(
    'leaves a %s open until wms ops reconcile ends it as %s, with %s in the log',
    async (kind, status, action) => {
      const thing = await underWay(kind);
      await operated.terminate(thing.start.workflowId);
      await becomes(thing, 'TERMINATED');

      const { json: explained } = await ops('explain', thing.start.workflowId);
      const { json: done } = await ops('reconcile', thing.id);
      const again = await ops('reconcile', thing.id);

      expect(explained).toMatchObject({ agree: false, workflow: { state: 'terminated' } });
      expect(explained.todo).toContain(`wms ops reconcile ${thing.id}`);
      expect(done).toMatchObject({
        agree: true,
        done: 'The row was ended, and its workflow told.',
      });
      expect(await thing.status()).toBe(status);
      expect(again.json.done).toBe('Nothing was done.');
      expect(await operated.logged(thing, 'wms command line')).toEqual([action]);
    },
  );
});

describe('wms ops reconcile', () => {
  it.each(CANCELLED)('starts the workflow of a %s that is missing, once', async (kind) => {
    const thing = await operated.make[kind]();

    const { json: explained } = await ops('explain', thing.id);
    const { json: done } = await ops('reconcile', thing.id);

    expect(explained).toMatchObject({ agree: false, workflow: { state: 'missing' } });
    expect(done.done).toBe('Its workflow was started.');
    await eventually(async () => (await execution(thing)) !== 'NONE');
    await operated.terminate(thing.start.workflowId).catch(() => {});
  });

  it('ends with --end what runs, and its workflow ends by itself', async () => {
    const thing = await underWay('campaign');

    const { json } = await ops('reconcile', thing.id, '--end');

    expect(json.done).toBe('The row was ended, and its workflow told.');
    expect(await thing.status()).toBe('cancelled');
    await becomes(thing, 'COMPLETED');
    expect(await operated.logged(thing, 'wms command line')).toEqual(['campaign.cancelled']);
  });

  it('wakes a workflow whose row has nothing left to do', async () => {
    const thing = await underWay('run');
    await eventually(
      async () => (await ops('explain', thing.id)).json.workflow.stage === 'waiting',
    );
    await rowsOf(
      operated.shell.ctx,
      "update automation_runs set status = 'succeeded', finished_at = now() where id = $1",
      [thing.id],
    );

    const { json } = await ops('reconcile', thing.id);

    expect(json.done).toBe('Its workflow was woken.');
    await becomes(thing, 'COMPLETED');
  });
});

describe('wms ops explain', () => {
  it('says in words what row and workflow say, and that they agree', async () => {
    const thing = await underWay('campaign');
    await eventually(async () => (await ops('explain', thing.id)).json.workflow.nextAt !== null);

    const { out, code } = await operated.shell.wmsAlone('ops', 'explain', thing.id);

    expect(code).toBe(0);
    expect(out).toMatch(/^row +scheduled, scheduled for 20/m);
    expect(out).toMatch(/^workflow +campaign:cmp_\w+: running since .*, scheduled, next at /m);
    expect(out).toMatch(/^agree +The workflow runs, as the row wants\.$/m);
    await operated.terminate(thing.start.workflowId);
  });

  it('says of a webhook in the backlog of its endpoint that it goes on without a workflow, and ends it at will', async () => {
    const { id: endpointId } = await operated.make.endpoint();
    const found = await operated.shell.wms('deliveries', 'list', '--endpoint', endpointId);
    const [{ id }] = found.json;

    const { json } = await ops('explain', id);
    const { json: ended } = await ops('reconcile', id, '--end');

    expect(json).toMatchObject({ agree: true, status: 'retrying', workflow: { state: 'missing' } });
    expect(json.row).toContain('in the backlog of its endpoint');
    expect(json.says).toMatch(/^It continues without a workflow/);
    expect(ended).toMatchObject({ agree: true, status: 'failed' });
  });

  it('says of a webhook that it was resent, and that its endpoint was deleted', async () => {
    const { id: endpointId } = await operated.make.endpoint();
    const found = await operated.shell.wms('deliveries', 'list', '--endpoint', endpointId);
    const [{ id }] = found.json;
    await operated.shell.wms('deliveries', 'resend', id);
    const { json: resent } = await ops('explain', id);
    await deleteEndpoint(operated.shell.ctx, endpointId);

    const { json } = await ops('explain', id);

    expect(resent.row).toMatch(/ attempts, 0 of them since it was resent/);
    expect(json.row).toMatch(/, its endpoint is deleted$/);
  });

  it('says of a run in a short wait that it goes on without a workflow', async () => {
    const { id } = await operated.make.run('PT30S');

    const { json } = await ops('explain', id);

    expect(json).toMatchObject({ agree: true, status: 'waiting', workflow: { state: 'missing' } });
    expect(json.says).toMatch(/^It continues without a workflow/);
  });

  it('finds the Schedule by the id of one of its runs', async () => {
    const id = `upkeep:none-${randomUUID()}`;
    const { schedule } = operated.client;
    const action = { type: 'startWorkflow', workflowType: 'none', taskQueue: id } as const;
    const spec = { intervals: [{ every: '1 day' as const }] };
    const handle = await schedule.create({ scheduleId: id, spec, action });

    const { json } = await ops('explain', `${id}-2026-11-28T10:20:00Z`);
    const reconciled = await ops('reconcile', id);
    await handle.delete();

    expect(json).toMatchObject({ id, paused: false });
    expect(reconciled.json.error.message).toContain('Trigger in the Temporal UI');
  });

  it('refuses what has no workflow, and what is not there', async () => {
    const contact = await ops('explain', 'con_01J00000000000000000000000');
    const nobody = await ops('explain', 'cmp_01J00000000000000000000000');
    const gone = await ops('explain', 'delivery:whk_01J0:evt_01J0');

    expect(contact.json.error.message).toMatch(/^Nothing runs by itself for con_/);
    expect(nobody.json.error.message).toBe(
      'There is no campaign cmp_01J00000000000000000000000 in the database.',
    );
    expect(gone.json.error.message).toBe(
      'There is no delivery of evt_01J0 to whk_01J0 in the database.',
    );
    expect([contact.code, nobody.code, gone.code]).toEqual([1, 1, 1]);
  });
});

describe('wms ops links', () => {
  it('prints lists whose filters the Temporal server takes', async () => {
    const { json } = await ops('links', '--workspace', operated.shell.ctx.organizationId);

    expect(json.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['failing deliveries', 'due soon', 'stuck', 'ended by force']),
    );
    for (const { query, url } of json) {
      expect(url).toMatch(/^https:\/\/temporal\.example\.com\/namespaces\/default\//);
      if (query === null) continue;
      expect(new URL(url).searchParams.get('query')).toBe(query);
      await expect(operated.client.workflow.count(query)).resolves.toBeDefined();
    }
  });

  it('refuses a workspace that there is not: its lists would be empty, as if all were well', async () => {
    const refused = await Promise.all(['org_1', ''].map((id) => ops('links', '--workspace', id)));

    expect(refused.map(({ code }) => code)).toEqual([1, 1]);
  });

  it('finds by them what is under way in the workspace', async () => {
    const thing = await underWay('delivery');
    const { json } = await ops('links', '--workspace', operated.shell.ctx.organizationId);
    const failing = json.find(({ name }: { name: string }) => name === 'failing deliveries');

    await eventually(async () => {
      for await (const { workflowId } of operated.client.workflow.list({ query: failing.query }))
        if (workflowId === thing.start.workflowId) return true;
      return false;
    });
    await operated.terminate(thing.start.workflowId);
  });
});
