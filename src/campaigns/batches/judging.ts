import {
  backoffMs,
  errorOf,
  HELD,
  MOST_ATTEMPTS,
  TURNED_AWAY,
} from '../../conversations/lane/outcomes.ts';
import { asksForFewer } from '../../gateway/cloud-api/classify.ts';
import type { LossReason, NumberHalt, SendResult } from '../../gateway/port.ts';
import type { Hold } from '../../numbers/pacer.ts';
import { failsTooOften, LAST_SENDS } from '../rules.ts';
import type { Claimed } from './claims.ts';
import type { Settlement } from './settling.ts';

/** Why a batch stops early: no other recipient of the number, or of the campaign, would fare better. */
export type Trouble =
  | ({ readonly kind: 'hold' } & Hold)
  | {
      readonly kind: 'halt';
      readonly cause: 'spam_limit' | NumberHalt;
      readonly providerCode: number;
    }
  | { readonly kind: 'errors' }
  | { readonly kind: 'template' };

export interface Judge {
  judge(row: Claimed, result: SendResult): Settlement;
  trouble(): Trouble | null;
}

/** This many refusals or lost answers in a row mean an outage of the provider, rather than problems of recipients. */
const OUTAGE_FROM = 8;
/**
 * How long whoever tested the number in vain rests for each time in a row that it was turned away: longer than the number
 * is held, so that more and more others take turns, but shorter than the outage so far. It begins when WhatsApp's own wait
 * ends.
 */
const TESTED_REST_MS = 4_000;
const LONGEST_TESTED_REST_MS = 300_000;
/**
 * WhatsApp paused the template for its quality (132015), disabled it (132016), or takes no marketing templates of the
 * account here (131063).
 */
const TEMPLATE_GONE = new Set([132015, 132016, 131063]);

export interface JudgeOptions {
  /** The campaign's last outcomes, latest first; true is a failure. */
  readonly recent: readonly boolean[];
  /**
   * How many times in a row the number was turned away last. If at all, the first send tests whether it works again: a
   * refusal or a lost answer means no.
   */
  readonly refusals: number;
}

/** A hold only waits; pausing the campaign is more serious, and stopping the number is the most serious. */
const graveness = ({ kind }: Trouble): number =>
  ({ hold: 0, errors: 1, template: 1, halt: 2 })[kind];

/** Turns answers into outcomes of recipients, and decides when the batch must stop. */
export function createJudge({ recent, refusals }: JudgeOptions): Judge {
  const outcomes = [...recent];
  let onTrial = refusals > 0;
  let faultsInRow = 0;
  let trouble: Trouble | null = null;

  const meet = (found: Trouble): void => {
    // The more serious trouble takes precedence.
    if (!trouble || graveness(found) > graveness(trouble)) trouble = found;
  };

  const outcome = (failed: boolean): void => {
    onTrial = false;
    faultsInRow = 0;
    outcomes.unshift(failed);
    outcomes.length = Math.min(outcomes.length, LAST_SENDS);
    if (failed && failsTooOften(outcomes)) meet({ kind: 'errors' });
  };

  /** @returns whether it is an outage, for which the number waits */
  const fault = (hold: Hold): boolean => {
    faultsInRow += 1;
    const outage = onTrial || faultsInRow >= OUTAGE_FROM;
    if (outage) meet({ kind: 'hold', ...hold });
    return outage;
  };

  const refusedForNow = (
    row: Claimed,
    result: Extract<SendResult, { kind: 'throttled' }>,
  ): Settlement => {
    const { retryAfterMs } = result;
    const hold = { retryAfterMs, slows: asksForFewer(result) };
    if (result.scope === 'number') {
      meet({ kind: 'hold', ...hold });
      return turnedAway(row, 0);
    }
    // This number sends too much to this person (131056), which says nothing about others.
    const ofPair = result.reason === 'throttled';
    if (!ofPair && fault(hold)) {
      // Should it be this person's fault after all, others must test the number next.
      const restMs = Math.min(refusals * TESTED_REST_MS, LONGEST_TESTED_REST_MS);
      return turnedAway(row, retryAfterMs + restMs);
    }
    if (row.attempts >= MOST_ATTEMPTS) {
      outcome(true);
      return failed(row, { ...result, message: TURNED_AWAY });
    }
    const delayMs = Math.max(retryAfterMs, backoffMs(row.attempts - 1));
    return { status: 'pending', row, called: true, counted: true, delayMs };
  };

  const judge = (row: Claimed, result: SendResult): Settlement => {
    switch (result.kind) {
      case 'accepted':
        outcome(false);
        return { status: 'sent', row, providerId: result.providerId };
      case 'held':
        outcome(false);
        return { status: 'unconfirmed', row, error: HELD, providerId: result.providerId };
      case 'refused':
        if (result.providerCode !== null && TEMPLATE_GONE.has(result.providerCode)) {
          meet({ kind: 'template' });
          return turnedAway(row, 0);
        }
        outcome(true);
        return failed(row, result);
      case 'throttled':
        return refusedForNow(row, result);
      case 'halted':
        meet({ kind: 'halt', cause: result.cause, providerCode: result.providerCode });
        return turnedAway(row, 0);
      case 'unknown':
        fault({ retryAfterMs: 1_000, slows: false });
        return unconfirmed(row, result.message);
    }
  };
  return { judge, trouble: () => trouble };
}

/** For reasons of the number: none of the person's tries. */
const turnedAway = (row: Claimed, delayMs: number): Settlement => ({
  status: 'pending',
  row,
  called: true,
  counted: false,
  delayMs,
});

const failed = (
  row: Claimed,
  lost: { reason: LossReason; providerCode: number | null; message: string },
): Settlement => ({
  status: 'failed',
  row,
  error: errorOf(lost.reason, lost.message, lost.providerCode),
});

const unconfirmed = (row: Claimed, message: string): Settlement => ({
  status: 'unconfirmed',
  row,
  error: errorOf('unconfirmed', message),
});
