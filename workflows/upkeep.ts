import { workflowInfo } from '@temporalio/workflow';
import { longSteps, steps } from './proxies.ts';
import { showDetails } from './stages.ts';
import { goOnAnew } from './waking.ts';

/** Drops the webhook history of days more than 30 days ago, except what is still to be delivered. */
export async function dropWebhookHistory(): Promise<void> {
  let days = 0;
  let ended = 0;
  for (;;) {
    const next = await longSteps.dropWebhookHistory.executeWithOptions(
      { summary: 'drop the days that are over' },
      [],
    );
    days += next.ranges;
    ended += next.ended;
    showDetails(`${days} partitions of past days replaced, ${ended} ended deliveries deleted.`);
    if (next.finished) return;
    if (workflowInfo().continueAsNewSuggested) await goOnAnew<typeof dropWebhookHistory>();
  }
}

/** Deletes previous webhook secrets whose 24 hours are over, and the secrets of deleted endpoints. */
export async function forgetOldSecrets(): Promise<void> {
  const forgotten = await steps.forgetOldSecrets.executeWithOptions(
    { summary: 'remove previous secrets that sign no more' },
    [],
  );
  showDetails(`${forgotten} old secrets removed.`);
}

/** Deletes expired codes, tokens, clients and sign-in links, and advances the signing keys. */
export async function tendAuthorization(): Promise<void> {
  let removed = 0;
  for (;;) {
    const next = await steps.tendAuthorization.executeWithOptions(
      { summary: 'remove what is past, move the keys on' },
      [],
    );
    // Recorded histories may be from before this count existed.
    removed += next.artifacts + next.deniedTokens + next.clients + (next.signIns ?? 0);
    showDetails(`${removed} codes, tokens, clients and past sign-ins removed.`);
    if (!next.more) return;
    if (workflowInfo().continueAsNewSuggested) await goOnAnew<typeof tendAuthorization>();
  }
}

/** Ends listeners of `wms listen` that have been silent for a week, and what is held for them. */
export async function endListeners(): Promise<void> {
  const ended = await steps.endListeners.executeWithOptions(
    { summary: 'end listeners that nobody ran for a week' },
    [],
  );
  showDetails(`${ended} listeners ended.`);
}
