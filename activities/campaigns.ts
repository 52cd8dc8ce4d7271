import { Context } from '@temporalio/activity';
import { system } from '../src/access/actor.ts';
import { type CampaignRef, freezeAudience } from '../src/campaigns/freezing.ts';
import { advance } from '../src/campaigns/progress.ts';
import type { CampaignProgress } from '../src/campaigns/rules.ts';
import { type SendingDeps, sendBatch } from '../src/campaigns/sending.ts';
import { cancelByOperator } from '../src/campaigns/transitions.ts';

const FREEZE_FOR_MS = 15_000;
const HEARTBEAT_EVERY_MS = 1_000;

/** Heartbeats say that the worker lives, nothing more: how far the work came is in the rows. */
async function alive<T>(work: (stopped: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  context.heartbeat();
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_EVERY_MS);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}

export const campaignActivities = (deps: SendingDeps) => ({
  advanceCampaign: (ref: CampaignRef): Promise<CampaignProgress> => advance(deps, ref),

  freezeCampaign: (ref: CampaignRef): Promise<CampaignProgress> =>
    alive(async (stopped) => {
      const end = performance.now() + FREEZE_FOR_MS;
      const mayGoOn = (): boolean => !stopped.aborted && performance.now() < end;
      await freezeAudience(deps.database, ref, { now: () => deps.clock.now(), mayGoOn });
      return advance(deps, ref);
    }),

  sendCampaignBatch: (ref: CampaignRef): Promise<CampaignProgress> =>
    alive((stopped) => sendBatch(deps, ref, { stopped })),

  cancelCampaign: (ref: CampaignRef): Promise<void> =>
    cancelByOperator(
      deps.contextFor(ref.organizationId, system('Temporal operator')),
      ref.campaignId,
    ),
});
