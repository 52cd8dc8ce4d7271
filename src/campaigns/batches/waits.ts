import type { BatchWait, CampaignProgress } from '../rules.ts';

/** How long the workflow waits, in milliseconds, and what for if not for its pace. */
export type Wait = Required<Pick<CampaignProgress, 'waitMs' | 'waitingFor'>>;

export const waitFor = (ms: number | null, waitingFor: BatchWait | null = null): Wait => ({
  waitMs: Math.max(0, Math.ceil(ms ?? 0)),
  waitingFor,
});

export const longest = (...waits: [Wait, ...Wait[]]): Wait =>
  waits.reduce((most, each) => (each.waitMs > most.waitMs ? each : most));

/** When a batch goes on, in milliseconds since 1970, and what for if not for its pace. */
export interface GoingOn {
  readonly at: number;
  readonly waitingFor: BatchWait | null;
}

/** A moment long past. */
export const AT_ONCE: GoingOn = { at: 0, waitingFor: null };
