import { CancellationScope, patched, workflowInfo } from '@temporalio/workflow';
import type { CampaignProgress } from '../src/campaigns/rules.ts';
import { batches, steps } from './proxies.ts';
import { createStageDisplay, showDetails } from './stages.ts';
import { goOnAnew, openSleeper, untilCancelled } from './waking.ts';

interface CampaignRef {
  readonly organizationId: string;
  readonly campaignId: string;
}

interface Begun extends CampaignRef {
  /** How many the runs before this one began; absent in the first, and in histories older than this field. */
  readonly batches?: number;
}

/** A paused campaign is woken when it is resumed; this is in case the wake was lost. */
const LOOK_AGAIN_MS = 24 * 3_600_000;
/**
 * The server suggests a new run at 4,096 events, and by then there are a few more. A slow campaign to many people
 * lasts for days, and none of its runs may exceed that.
 */
const EVENTS_OF_A_RUN = 4_000;
/** Shorter waits are due to the pace, and not worth showing. */
const WORTH_SHOWING_MS = 60_000;

/**
 * One campaign, from its schedule to its end: wait for the time, freeze the audience, send in batches. The row says
 * what to do; this says when. Cancelling it cancels the campaign: no new recipients, those in flight are settled,
 * results stay.
 */
export async function sendCampaign({ batches: before = 0, ...ref }: Begun): Promise<void> {
  const sleeper = openSleeper('Look at the campaign again.');
  let batch = before;
  const show = createDisplay();

  const next = async (last: CampaignProgress): Promise<CampaignProgress> => {
    if (last.stage !== 'sending' || last.waitMs > 0)
      await sleeper.sleep(waitOf(last), waitWords(last));
    if (last.stage !== 'sending') return look(ref);
    if (!last.frozen) return freeze(ref);
    batch += 1;
    return sendOne(ref, batch);
  };

  const follow = async (): Promise<void> => {
    let last = await look(ref);
    // A wake that came with the last step may mean a new schedule, so look once more before ending.
    while (!isOver(last) || sleeper.isWoken()) {
      show(last);
      if (isLong()) await goOnAnew<typeof sendCampaign>({ ...ref, batches: batch });
      last = await next(last);
    }
    show(last);
  };

  await untilCancelled(follow, async () => {
    await steps.cancelCampaign.executeWithOptions({ summary: 'end it, as the operator asked' }, [
      ref,
    ]);
    await follow();
  });
}

/**
 * Claimed recipients are settled even while the workflow is being cancelled: the row stops the batch, not Temporal.
 */
const sheltered = <T>(work: () => Promise<T>): Promise<T> =>
  Promise.race([
    CancellationScope.nonCancellable(work),
    CancellationScope.current().cancelRequested,
  ]);

const sendOne = (ref: CampaignRef, number: number): Promise<CampaignProgress> =>
  sheltered(() =>
    batches.sendCampaignBatch.executeWithOptions({ summary: `batch ${number}` }, [ref]),
  );

const look = (ref: CampaignRef): Promise<CampaignProgress> =>
  steps.advanceCampaign.executeWithOptions({ summary: 'see where it stands' }, [ref]);

const freeze = (ref: CampaignRef): Promise<CampaignProgress> =>
  sheltered(() =>
    batches.freezeCampaign.executeWithOptions({ summary: 'write down who gets it' }, [ref]),
  );

const isLong = (): boolean =>
  workflowInfo().continueAsNewSuggested ||
  (workflowInfo().historyLength >= EVENTS_OF_A_RUN && patched('shorter-runs'));

function isOver({ stage, waitMs }: CampaignProgress): boolean {
  if (stage === 'gone' || stage === 'draft') return true;
  return (stage === 'done' || stage === 'cancelled') && waitMs === 0;
}

const waitOf = ({ stage, waitMs }: CampaignProgress): number =>
  stage === 'paused' && waitMs === 0 ? LOOK_AGAIN_MS : waitMs;

function waitWords({ stage, left, waitingFor }: CampaignProgress): string {
  if (stage === 'scheduled') return 'wait for the scheduled time';
  if (stage === 'paused') return 'paused, wait to be resumed';
  if (stage !== 'sending') return 'wait for sends under way';
  return `wait for ${SENDING_WAITS[waitingFor ?? 'pace']}, ${left} left`;
}

const SENDING_WAITS = {
  pace: 'the pace',
  number: 'its number, which WhatsApp holds back',
  another_try: 'another try',
  under_way: 'sends under way',
  quiet_hours: 'quiet hours to end',
  warm_up: "tomorrow's share of new people",
} as const;

/** Keeps what operators see up to date, writing only when something has changed. */
function createDisplay(): (progress: CampaignProgress) => void {
  const show = createStageDisplay();
  return ({ stage, sent, delivered, lost, left, minutesToGo, waitMs, frozen }) => {
    const name = stage === 'sending' && !frozen ? 'freezing' : stage;
    show(name, waitMs >= WORTH_SHOWING_MS ? waitMs : null);
    // Their number is known once the audience is frozen.
    const ahead = frozen ? `${left} | ${minutesToGo ?? 'less than one'}` : '- | -';
    showDetails(
      '| stage | sent | delivered | lost | left | minutes of sending to go |\n|---|---|---|---|---|---|\n' +
        `| ${name} | ${sent} | ${delivered} | ${lost} | ${ahead} |`,
    );
  };
}
