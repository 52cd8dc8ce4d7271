import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createTemporalCalls } from '../../src/relay/temporal-calls.ts';
import { devServer, PATIENT, workflowBundle } from '../support/env.ts';
import { opened } from '../support/opened.ts';
import { eventually } from '../support/waiting.ts';
import { openOperated } from './support/operated.ts';

const operated = opened(openOperated);

it('wms ops explain names an activity that an operator paused in the Temporal UI, which waits until it is unpaused', async () => {
  const taskQueue = `paused-${randomUUID()}`;
  const connection = await NativeConnection.connect(devServer());
  // Without activities, so that the first one waits and can be paused before it runs.
  const worker = await Worker.create({ connection, taskQueue, workflowBundle });
  const { workflowService } = operated.client;
  const thing = await operated.make.import();
  const { workflowId } = thing.start;
  const calls = createTemporalCalls(operated.client, taskQueue, PATIENT);
  const execution = { workflowId };
  const namespace = 'default';
  const pending = async () =>
    (await operated.client.workflow.getHandle(workflowId).describe()).raw.pendingActivities?.[0];
  const explain = async () =>
    (await operated.shell.wmsAnywhere('ops', 'explain', thing.id, '--json')).json;

  await worker.runUntil(async () => {
    await calls.perform({ kind: 'start', ...thing.start });
    await eventually(async () => (await pending()) !== undefined);
    expect(await explain()).toMatchObject({ agree: true });
    const id = (await pending())?.activityId ?? null;
    await workflowService.pauseActivity({ namespace, execution, id });

    const { agree, says, todo } = await explain();

    expect(agree).toBe(false);
    expect(says).toContain(
      'its activity importContactRows is paused: Unpause it in the Temporal UI',
    );
    expect(todo).toContain('continues by itself');
    await workflowService.unpauseActivity({ namespace, execution, id });
    expect(await explain()).toMatchObject({ agree: true });
  });
  await operated.terminate(workflowId);
  await connection.close();
});
