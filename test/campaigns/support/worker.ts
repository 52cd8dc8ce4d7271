import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { campaignActivities } from '../../../activities/campaigns.ts';
import { failureInterceptor } from '../../../activities/failure.ts';
import type { CampaignRef } from '../../../src/campaigns/audience/freezing.ts';
import type { SendingDeps } from '../../../src/campaigns/batches/deps.ts';
import type { sendCampaign } from '../../../workflows/campaigns.ts';
import { workflowBundle } from '../../support/env.ts';

export interface CampaignWorker {
  start(ref: CampaignRef): Promise<WorkflowHandle<typeof sendCampaign>>;
  stop(): Promise<void>;
}

export interface CampaignWorkerParts {
  readonly client: Client;
  readonly connection: NativeConnection;
  readonly deps: SendingDeps;
}

/** A worker of campaigns on a task queue of its own. */
export async function runCampaignWorker(parts: CampaignWorkerParts): Promise<CampaignWorker> {
  const taskQueue = `campaigns-${randomUUID()}`;
  const worker = await Worker.create({
    connection: parts.connection,
    taskQueue,
    workflowBundle,
    activities: campaignActivities(parts.deps),
    interceptors: { activity: [() => ({ inbound: failureInterceptor })] },
    stickyQueueScheduleToStartTimeout: '1s',
  });
  const running = worker.run();
  return {
    start: (ref) =>
      parts.client.workflow.start<typeof sendCampaign>('sendCampaign', {
        workflowId: `campaign:${ref.campaignId}`,
        taskQueue,
        args: [ref],
        workflowTaskTimeout: '5s',
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    stop: async () => {
      worker.shutdown();
      await running;
    },
  };
}

/** The real server, with connections of this file's own. */
export async function connectTo(address: string): Promise<{
  client: Client;
  connection: NativeConnection;
  close(): Promise<void>;
}> {
  const [plain, connection] = await Promise.all([
    Connection.connect({ address }),
    NativeConnection.connect({ address }),
  ]);
  return {
    client: new Client({ connection: plain }),
    connection,
    close: async () => {
      await plain.close();
      await connection.close();
    },
  };
}
