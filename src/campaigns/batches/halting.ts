import { inWorkspace } from '../../db/database.ts';
import { first } from '../../db/sql.ts';
import type { CampaignRef } from '../audience/freezing.ts';
import type { Claimed } from './claims.ts';
import type { SendingDeps } from './deps.ts';
import type { SendingWindow } from './window.ts';

export interface Halt {
  /** The campaign was stopped: what is claimed now must be returned. */
  halted(): boolean;
  /** Stops listening. */
  close(): void;
}

/**
 * Makes pausing and cancelling wait until nothing more is begun: when told of one, every batch holds back what it has
 * claimed, checks its campaign and, if that was stopped, returns whatever has not gone out.
 */
export function returnOnStop(
  deps: Pick<SendingDeps, 'database' | 'hear'>,
  ref: CampaignRef,
  window: Pick<SendingWindow, 'hold' | 'go' | 'recall'>,
  giveBack: (rows: readonly Claimed[]) => void,
): Halt {
  let halted = false;
  let asking = 0;

  async function check(): Promise<void> {
    window.hold();
    asking += 1;
    // If that cannot be determined, the workflow will check.
    const goesOn = await isSending(deps, ref).catch(() => false);
    asking -= 1;
    if (!goesOn) halted = true;
    if (halted) giveBack(window.recall());
    if (asking === 0) window.go();
  }

  const deafen = deps.hear?.((news) => (news === 'campaigns' ? check() : undefined));
  return { halted: () => halted, close: () => deafen?.() };
}

const isSending = (
  { database }: Pick<SendingDeps, 'database'>,
  { organizationId, campaignId }: CampaignRef,
): Promise<boolean> =>
  inWorkspace(database, organizationId, async (sql) => {
    const row = await first<{ status: string }>(
      sql,
      'select status from campaigns where organization_id = $1 and id = $2',
      [organizationId, campaignId],
      'campaign-goes-on',
    );
    return row?.status === 'sending';
  });
