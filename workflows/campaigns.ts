import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { CampaignProgress } from '../src/campaigns/rules.ts';
import { batches, steps } from './proxies.ts';
import { showStage } from './stages.ts';

interface CampaignRef {
  readonly organizationId: string;
  readonly campaignId: string;
}

/** "Look at the row again": it carries nothing, so losing one costs time and nothing else. */
const wake = defineSignal('wake');

const LONGEST_TIMER_MS = 30 * 24 * 3_600_000;
/** A paused campaign is woken by its resume; this is for the wake that got lost. */
const LOOK_AGAIN_MS = 24 * 3_600_000;

/**
 * One campaign, from its schedule to its end: wait for the time, freeze the audience, send in batches.
 * The row says what to do; this says when. Cancelling it cancels the campaign: no new recipient, those
 * in flight settle, results stay.
 */
export async function sendCampaign(ref: CampaignRef): Promise<void> {
  let woken = false;
  setHandler(
    wake,
    () => {
      woken = true;
    },
    { description: 'Look at the campaign again.' },
  );
  let batch = 0;

  const lookAfter = async (ms: number, summary: string): Promise<CampaignProgress> => {
    if (ms > 0) await condition(() => woken, Math.min(ms, LONGEST_TIMER_MS), { summary });
    woken = false;
    return steps.advanceCampaign(ref);
  };

  const next = (last: CampaignProgress): Promise<CampaignProgress> => {
    if (last.stage !== 'sending' || last.waitMs > 0)
      return lookAfter(waitOf(last), waitWords(last));
    if (!last.frozen) return freeze(ref);
    batch += 1;
    return sendOne(ref, batch);
  };

  const follow = async (): Promise<void> => {
    let last = await steps.advanceCampaign(ref);
    // A wake that came with the last step may be a new schedule: look once more before ending.
    while (!isOver(last) || woken) {
      tell(last);
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof sendCampaign>(ref);
      last = await next(last);
    }
    tell(last);
  };

  try {
    await follow();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await steps.cancelCampaign(ref);
      await follow();
    });
    throw error;
  }
}

/** Claimed recipients settle although the workflow is being cancelled: the row stops the batch, not Temporal. */
const sheltered = <T>(work: () => Promise<T>): Promise<T> =>
  Promise.race([
    CancellationScope.nonCancellable(work),
    CancellationScope.current().cancelRequested,
  ]);

const sendOne = (ref: CampaignRef, number: number): Promise<CampaignProgress> =>
  sheltered(() =>
    batches.sendCampaignBatch.executeWithOptions({ summary: `batch ${number}` }, [ref]),
  );

const freeze = (ref: CampaignRef): Promise<CampaignProgress> =>
  sheltered(() =>
    batches.freezeCampaign.executeWithOptions({ summary: 'write down who gets it' }, [ref]),
  );

function isOver({ stage, waitMs }: CampaignProgress): boolean {
  if (stage === 'gone' || stage === 'draft') return true;
  return (stage === 'done' || stage === 'cancelled') && waitMs === 0;
}

const waitOf = ({ stage, waitMs }: CampaignProgress): number =>
  stage === 'paused' && waitMs === 0 ? LOOK_AGAIN_MS : waitMs;

function waitWords({ stage, left }: CampaignProgress): string {
  if (stage === 'scheduled') return 'wait for the scheduled time';
  if (stage === 'paused') return 'paused, wait to be resumed';
  return stage === 'sending' ? `wait for the pace, ${left} left` : 'wait for sends under way';
}

function tell(progress: CampaignProgress): void {
  const { stage, sent, lost, left, waitMs } = progress;
  showStage(stage === 'sending' && !progress.frozen ? 'freezing' : stage, waitMs);
  setCurrentDetails(
    `| stage | sent | lost | left |\n|---|---|---|---|\n| ${stage} | ${sent} | ${lost} | ${left} |`,
  );
}
