import type { CampaignTarget } from '../rules.ts';

/** What a campaign says and to whom; limits on sizes are in the HTTP schema. */
export interface CampaignInput {
  readonly name: string;
  readonly number_id: string;
  /** `pipeline` is for campaigns made in the app; no API body can contain it. */
  readonly target: CampaignTarget;
  readonly segment_id: string | null;
  readonly contact_ids: readonly string[];
  readonly group_ids: readonly string[];
  readonly pipeline_id?: string | null;
  /** Empty for every stage with open deals. */
  readonly stage_ids?: readonly string[];
  readonly text: string;
  /** ISO 8601, with an offset or in the workspace's zone; null for no scheduled time. */
  readonly when: string | null;
  /** Messages per minute; null for as fast as the number allows. */
  readonly pace: number | null;
}
