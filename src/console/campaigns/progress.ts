import { whatItWaitsFor } from '../../campaigns/naming.ts';
import type { readCampaign } from '../../campaigns/reading.ts';
import { EXCLUSIONS, type Exclusion, isFinal, unsettledOf } from '../../campaigns/rules.ts';
import { type Html, html } from '../../pages/html.ts';
import { definitions, figures, notice } from '../../pages/parts.ts';
import type { Page } from '../page.ts';
import { CAMPAIGNS } from './texts.ts';

export type Campaign = Awaited<ReturnType<typeof readCampaign>>;

/** It is over, and the sends that its end met are not. */
export const isSettling = ({ status, results }: Campaign): boolean =>
  isFinal(status) && unsettledOf(results) > 0;

/** Whether it is written down who gets it. */
export const isFrozen = ({ audience }: Campaign): boolean => audience.status === 'frozen';

/** Why nothing is sent right now. */
export async function standing(page: Page, campaign: Campaign): Promise<Html | null> {
  const { pause_reason: reason, status, waiting_until: until } = campaign;
  const texts = CAMPAIGNS[page.lang];
  if (isSettling(campaign)) return notice(texts.settling, 'plain');
  if (status === 'paused')
    return notice(reason ? texts.pauses[reason] : texts.pausedBecause, 'warn');
  const why = until && (await whatItWaitsFor(page.ctx, campaign.id));
  return until && why ? notice(texts.waits[why](page.format.time(until)), 'plain') : null;
}

/** What became of those who were written down; null before. */
export function progress(page: Page, campaign: Campaign): Html | null {
  if (!isFrozen(campaign)) return null;
  const { audience, results } = campaign;
  const texts = CAMPAIGNS[page.lang];
  const { sent, delivered, read, failed, replied, opted_out: out } = results;
  const left = unsettledOf(results);
  // Each status counts those in it now: whoever has read it also received it.
  const arrived = delivered + read;
  const value = (count: number) => page.format.number(count);
  return html`<h2>${texts.progress}</h2><progress max="${Math.max(1, audience.eligible)}" value="${audience.eligible - left}" aria-label="${texts.progress}"></progress>${figures(
    [
      { name: texts.eligible, value: value(audience.eligible) },
      { name: texts.left, value: value(left) },
      { name: texts.sent, value: value(sent + arrived) },
      { name: texts.delivered, value: value(arrived) },
      { name: texts.read, value: value(read) },
      { name: texts.failed, value: value(failed) },
      ...SELDOM.filter((one) => results[one] > 0).map((one) => ({
        name: texts[one],
        value: value(results[one]),
      })),
      { name: texts.replied, value: value(replied) },
      { name: texts.optedOut, value: value(out) },
    ],
  )}`;
}

/** Without them the figures do not add up to the audience. */
const SELDOM = ['unconfirmed', 'skipped', 'cancelled'] as const;

/** How many are left out beforehand, for each reason; null for nobody. */
export function leftOut(
  { lang, format }: Page,
  excluded: Readonly<Record<Exclusion, number>>,
): Html | null {
  const texts = CAMPAIGNS[lang];
  const counts = EXCLUSIONS.flatMap((reason): [string, string][] =>
    excluded[reason] > 0 ? [[texts.exclusions[reason], format.number(excluded[reason])]] : [],
  );
  return counts.length === 0 ? null : html`<h2>${texts.leftOut}</h2>${definitions(counts)}`;
}
