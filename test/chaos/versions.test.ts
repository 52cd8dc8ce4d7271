import { expect, it } from '@jest/globals';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { until } from '../support/processes/child.ts';
import { arrivedAtLeast, begin } from './support/acts.ts';
import { onChaosStage } from './support/stage.ts';

const LIMIT_MS = 300_000;

/** As `temporal worker deployment set-current-version` does it; the version is known once a worker of it polls. */
const makeCurrent = (connection: Connection, deploymentName: string, buildId: string) =>
  until(`${buildId} is current`, async () => {
    await connection.workflowService.setWorkerDeploymentCurrentVersion({
      namespace: 'default',
      deploymentName,
      buildId,
    });
    return true;
  });

/** `PINNED one`: how a run is bound to releases, and by which one it was moved last. */
async function releaseOf(handle: WorkflowHandle): Promise<string> {
  const { versioningInfo } = (await handle.describe()).raw.workflowExecutionInfo ?? {};
  const behavior = ['UNSPECIFIED', 'PINNED', 'AUTO_UPGRADE'][versioningInfo?.behavior ?? 0];
  return `${behavior} ${versioningInfo?.deploymentVersion?.buildId}`;
}

it(
  'a webhook’s retries end on the release that they began on, and a campaign that waits goes on with the one made current',
  () =>
    onChaosStage({}, async (stage) => {
      const connection = await Connection.connect({ address: stage.temporalAddress });
      try {
        const { workflow } = new Client({ connection });
        const deployment = stage.processes.taskQueue;
        const api = await stage.processes.start('api,worker', { TEMPORAL_BUILD_ID: 'one' });
        await makeCurrent(connection, deployment, 'one');
        stage.receiver.answerWith(500);
        const later = await stage.aCampaign(1);
        const when = new Date(Date.now() + 30 * 24 * 3_600_000).toISOString();
        await stage.call(api, 'POST', `/campaigns/${later}/schedule`, { body: { when } });
        await begin(stage, api, await stage.aCampaign(1));
        await arrivedAtLeast(stage, 1);
        let delivery = { endpoint_id: '', event_id: '' };
        await until('the delivery is written', async () => {
          [delivery = delivery] = await stage.rows<typeof delivery>(
            'select endpoint_id, event_id from webhook_deliveries',
          );
          return delivery.event_id !== '';
        });
        const retries = workflow.getHandle(`delivery:${delivery.endpoint_id}:${delivery.event_id}`);
        const scheduled = workflow.getHandle(`campaign:${later}`);
        await until('both are under way', async () => {
          const releases = await Promise.all([releaseOf(retries), releaseOf(scheduled)]);
          return releases.join() === 'PINNED one,AUTO_UPGRADE one';
        });

        await stage.processes.start('worker', { TEMPORAL_BUILD_ID: 'two' });
        await makeCurrent(connection, deployment, 'two');
        await until('the campaign goes on with the new release', async () => {
          await scheduled.signal('wake');
          return (await releaseOf(scheduled)) === 'AUTO_UPGRADE two';
        });
        stage.receiver.answerWith(204);
        await retries.signal('sendNow');
        await retries.result();

        expect(await releaseOf(retries)).toBe('PINNED one');
        expect(stage.receiver.receipts.at(-1)).toMatchObject({ status: 204, verified: true });
      } finally {
        await connection.close();
      }
    }),
  LIMIT_MS,
);
