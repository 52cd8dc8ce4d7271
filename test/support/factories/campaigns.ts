import type { CampaignInput } from '../../../src/campaigns/draft/input.ts';
import type { Campaign } from '../../../src/campaigns/entities.ts';
import { createCampaign } from '../../../src/campaigns/service.ts';
import type { Context } from '../../../src/context.ts';

/** A draft to these contacts, unpaced unless told. */
export const aCampaign = (
  ctx: Context,
  wishes: Partial<CampaignInput> & Pick<CampaignInput, 'number_id' | 'contact_ids'>,
): Promise<Campaign> =>
  createCampaign(ctx, {
    name: 'Black Friday',
    target: 'contacts',
    segment_id: null,
    group_ids: [],
    text: 'Oi {{first_name|tudo bem}}!',
    when: null,
    pace: null,
    ...wishes,
  });
