import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createReconciler } from '../../src/relay/reconciler.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { rowsOf } from '../support/rows-of.ts';
import { eventually } from '../support/waiting.ts';
import { type Made, type Operated, openOperated, type Thing } from './support/operated.ts';

let receiver: Receiver;
let operated: Operated;
let reconcile: () => Promise<void>;

beforeAll(async () => {
  receiver = await startReceiver();
  operated = await openOperated(`${receiver.origin}/hooks`);
  reconcile = createReconciler({ database: operated.shell.database, calls: operated.calls });
});
afterAll(async () => {
  await operated.close();
  await receiver.close();
});

const explain = async ({ id }: Thing) =>
  (await operated.shell.wmsAnywhere('ops', 'explain', id, '--json')).json;

/** As after a restore beside a newer Temporal: its row is due, and its workflow sleeps for a later time. */
async function overslept(kind: Made, due: string): Promise<Thing> {
  const thing = await operated.make[kind]();
  await operated.begin(thing);
  await eventually(async () => (await explain(thing)).workflow.nextAt !== null);
  await rowsOf(operated.shell.ctx, due, [thing.id]);
  return thing;
}

const BEFORE = "now() - interval '5 minutes'";

it.each([
  ['campaign', `update campaigns set send_at = ${BEFORE} where id = $1`],
  ['delivery', `update webhook_deliveries set next_attempt_at = ${BEFORE} where id = $1`],
  ['endpoint', `update webhook_endpoints set drain_at = ${BEFORE} where id = $1`],
  ['reminder', `update reminders set looks_at = ${BEFORE} where id = $1`],
  ['run', `update automation_runs set wait_until = ${BEFORE} where id = $1`],
] as const)('%s: a workflow that sleeps past its time is named, and woken', async (kind, due) => {
  const thing = await overslept(kind, due);

  expect(await explain(thing)).toMatchObject({ agree: false, workflow: { state: 'running' } });
  await reconcile();

  await eventually(async () => (await explain(thing)).agree);
  await operated.terminate(thing.start.workflowId).catch(() => {});
});

it('wms ops reconcile wakes what sleeps past its time', async () => {
  const thing = await overslept(
    'run',
    `update automation_runs set wait_until = ${BEFORE} where id = $1`,
  );

  const { json } = await operated.shell.wmsAnywhere('ops', 'reconcile', thing.id, '--json');

  expect(json).toMatchObject({ agree: true, done: 'Its workflow was woken.' });
  expect(await thing.status()).toBe('succeeded');
});

it('wms ops reconcile wakes a campaign that goes on while its workflow sleeps as if it were paused', async () => {
  const thing = await operated.make.campaign();
  const put = (status: string, reason: string | null) =>
    rowsOf(
      operated.shell.ctx,
      'update campaigns set status = $2, pause_reason = $3, started_at = now() where id = $1',
      [thing.id, status, reason],
    );
  await put('paused', 'number_unavailable');
  await operated.begin(thing);
  await eventually(async () => (await explain(thing)).workflow.stage === 'paused');
  const paused = await explain(thing);
  expect(paused.agree).toBe(true);
  expect(paused.todo).toMatch(
    new RegExp(`wms number list --workspace org_.+ wms campaign resume ${thing.id}, and not by`),
  );

  await put('sending', null);
  const before = await explain(thing);
  const { json } = await operated.shell.wmsAnywhere('ops', 'reconcile', thing.id, '--json');

  expect([before.agree, json.agree, json.done]).toEqual([false, true, 'Its workflow was woken.']);
  expect(json.workflow.stage).not.toBe('paused');
  await operated.terminate(thing.start.workflowId).catch(() => {});
});
