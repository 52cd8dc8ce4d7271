import { campaignActivities } from './campaigns.ts';
import type { Deps } from './deps.ts';
import { upkeepActivities } from './upkeep.ts';
import { webhookActivities } from './webhooks.ts';

export const createActivities = (deps: Deps) => ({
  ...campaignActivities(deps),
  ...upkeepActivities(deps),
  ...webhookActivities(deps),
});

export type Activities = ReturnType<typeof createActivities>;
