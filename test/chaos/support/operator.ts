import fs from 'node:fs';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { workflowBundle } from '../../../src/temporal/bundle.ts';
import type { ChaosStage } from './stage.ts';

/** A campaign's run as an operator sees it in the Temporal UI. */
export interface Run {
  readonly status: string;
  /** How often the workflow's present step was tried. */
  readonly attempt: number;
  /** The process that has the batch, null while none has. */
  readonly senderPid: number | null;
  /** Why the attempt at the batch before this one ended; null for a first one. */
  readonly failedAs: string | null;
}

export async function lookAt(stage: ChaosStage, campaign: string): Promise<Run> {
  const connection = await Connection.connect({ address: stage.temporalAddress });
  try {
    const handle = new Client({ connection }).workflow.getHandle(`campaign:${campaign}`);
    const { status, raw } = await handle.describe();
    const { lastWorkerIdentity: identity, lastFailure } = raw.pendingActivities?.[0] ?? {};
    return {
      status: status.name,
      attempt: raw.pendingWorkflowTask?.attempt ?? 0,
      senderPid: identity ? Number(identity.split('@')[0]) : null,
      failedAs: lastFailure?.applicationFailureInfo?.type ?? lastFailure?.message ?? null,
    };
  } finally {
    await connection.close();
  }
}

/** Runs a workflow of nobody's while `work` goes on, and ends it. */
export async function besides(
  stage: ChaosStage,
  workflow: string,
  work: () => Promise<void>,
): Promise<void> {
  const connection = await Connection.connect({ address: stage.temporalAddress });
  try {
    const handle = await new Client({ connection }).workflow.start(workflow, {
      workflowId: `nobody:${workflow}`,
      taskQueue: stage.processes.taskQueue,
      args: [{ organizationId: 'wsp_nobody', campaignId: 'cmp_nobody' }],
    });
    try {
      await work();
    } finally {
      await handle.terminate();
    }
  } finally {
    await connection.close();
  }
}

const RUN_FOLDER = process.env['TEST_RUN_FOLDER'] ?? '/tmp';

/** A data folder whose workflows take another way from their first step on: a release nobody replayed. */
export async function changedRelease(): Promise<string> {
  const { codePath } = await workflowBundle(path.join(RUN_FOLDER, 'processes'));
  const folder = fs.mkdtempSync(path.join(RUN_FOLDER, 'changed-'));
  const code = fs.readFileSync(codePath, 'utf8');
  const changed = code.replaceAll('advanceCampaign', 'approachCampaign');
  if (changed === code) throw new TypeError('the workflow has no such step any more');
  fs.writeFileSync(path.join(folder, path.basename(codePath)), changed);
  return folder;
}
