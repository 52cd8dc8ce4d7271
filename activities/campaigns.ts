import { system, TEMPORAL_OPERATOR } from '../src/access/actor.ts';
import { type CampaignRef, freezeAudience } from '../src/campaigns/audience/freezing.ts';
import type { SendingDeps } from '../src/campaigns/batches/deps.ts';
import { advance } from '../src/campaigns/batches/progress.ts';
import { sendBatch } from '../src/campaigns/batches/sending.ts';
import type { CampaignProgress } from '../src/campaigns/rules.ts';
import { cancelCampaignByOperator, holdToQuota } from '../src/campaigns/states/by-itself.ts';
import { alive, aliveFor } from './alive.ts';

const FREEZE_FOR_MS = 15_000;

/** What `campaign:{id}` asks for. Each may be repeated: rows say how far it came, and nobody is sent to twice. */
export const campaignActivities = (deps: SendingDeps) => ({
  advanceCampaign: (ref: CampaignRef): Promise<CampaignProgress> => advance(deps, ref),

  freezeCampaign: (ref: CampaignRef): Promise<CampaignProgress> =>
    aliveFor(FREEZE_FOR_MS, async (mayGoOn) => {
      const control = { now: () => deps.clock.now(), mayGoOn };
      if (await freezeAudience(deps.database, ref, control)) {
        await holdToQuota(deps.contextFor(ref.organizationId, system('campaigns')), ref.campaignId);
      }
      return advance(deps, ref);
    }),

  sendCampaignBatch: (ref: CampaignRef): Promise<CampaignProgress> =>
    alive((stopped) => sendBatch(deps, ref, { stopped })),

  cancelCampaign: (ref: CampaignRef): Promise<void> =>
    cancelCampaignByOperator(
      deps.contextFor(ref.organizationId, TEMPORAL_OPERATOR),
      ref.campaignId,
    ),
});
