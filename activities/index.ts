import { automationActivities } from './automations.ts';
import { campaignActivities } from './campaigns.ts';
import { contactActivities } from './contacts.ts';
import type { Deps } from './deps.ts';
import { reminderActivities } from './reminders.ts';
import { sweepActivities } from './sweeps.ts';
import { upkeepActivities } from './upkeep.ts';
import { webhookActivities } from './webhooks.ts';

/** Everything that a workflow may call, by name: what `workflows/` takes by `proxyActivities`. */
export const createActivities = (deps: Deps) => ({
  ...automationActivities(deps),
  ...campaignActivities(deps),
  ...contactActivities(deps),
  ...reminderActivities(deps),
  ...sweepActivities(deps),
  ...upkeepActivities(deps),
  ...webhookActivities(deps),
});

export type Activities = ReturnType<typeof createActivities>;
