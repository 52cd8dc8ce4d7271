import { campaignActivities } from './campaigns.ts';
import type { Deps } from './deps.ts';
import { webhookActivities } from './webhooks.ts';

export const createActivities = (deps: Deps) => ({
  ...campaignActivities(deps),
  ...webhookActivities(deps),
});

export type Activities = ReturnType<typeof createActivities>;
