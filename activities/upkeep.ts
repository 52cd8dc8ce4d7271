import { cleanUpAuthorization } from '../src/oauth/upkeep.ts';
import { forgetPastSignIns } from '../src/people/upkeep.ts';
import { dropHistory } from '../src/webhooks/deliveries/history.ts';
import { forgetDeletedEndpoints, forgetPreviousSecrets } from '../src/webhooks/forgetting.ts';
import { endOldListeners } from '../src/webhooks/listeners/service.ts';
import { aliveFor } from './alive.ts';
import type { Deps } from './deps.ts';

const DROP_FOR_MS = 60_000;

/** The activities of the upkeep Schedules. Each finds expired rows by itself, so a repetition finds nothing. */
export const upkeepActivities = ({
  database,
  clock,
  keyring,
}: Pick<Deps, 'database' | 'clock' | 'keyring'>) => ({
  dropWebhookHistory: () => aliveFor(DROP_FOR_MS, (mayGoOn) => dropHistory(database, mayGoOn)),

  forgetOldSecrets: async () => {
    const previous = await forgetPreviousSecrets(database, clock.now());
    return previous + (await forgetDeletedEndpoints(database, clock.now()));
  },

  tendAuthorization: async () => {
    const done = await cleanUpAuthorization({ database, keyring });
    const signIns = await forgetPastSignIns(database);
    return { ...done, signIns: signIns.removed, more: done.more || signIns.more };
  },

  endListeners: () => endOldListeners(database, clock.now()),
});
