import { type RotationPosition, sealAgain } from '../src/crypto/rotation.ts';
import { tendAuthorization } from '../src/oauth/upkeep.ts';
import { forgetPastSignIns } from '../src/people/upkeep.ts';
import { type RollUpPosition, rollUpNext } from '../src/reports/upkeep.ts';
import { dropHistory } from '../src/webhooks/deliveries/history.ts';
import { forgetDeletedEndpoints, forgetPreviousSecrets } from '../src/webhooks/forgetting.ts';
import { endOldListeners } from '../src/webhooks/listeners/service.ts';
import { aliveFor, passOver } from './alive.ts';
import type { Deps } from './deps.ts';

const ROLL_UP_FOR_MS = 15_000;
const DROP_FOR_MS = 60_000;
const SEAL_FOR_MS = 15_000;

/** The activities of the upkeep Schedules. Each finds expired rows by itself, so a repetition finds nothing. */
export const upkeepActivities = ({
  database,
  clock,
  keyring,
  log,
}: Pick<Deps, 'database' | 'clock' | 'keyring' | 'log'>) => ({
  rollUpReports: (position: RollUpPosition) =>
    aliveFor(ROLL_UP_FOR_MS, (mayGoOn) => {
      const failed = passOver(log, 'the reports of a workspace cannot be written down');
      return rollUpNext(database, position, { now: clock.now(), mayGoOn, failed });
    }),

  dropWebhookHistory: () => aliveFor(DROP_FOR_MS, (mayGoOn) => dropHistory(database, mayGoOn)),

  forgetOldSecrets: async () => {
    const previous = await forgetPreviousSecrets(database, clock.now());
    return previous + (await forgetDeletedEndpoints(database, clock.now()));
  },

  tendAuthorization: async () => {
    const done = await tendAuthorization({ database, keyring });
    const signIns = await forgetPastSignIns(database);
    return { ...done, signIns: signIns.removed, more: done.more || signIns.more };
  },

  endListeners: () => endOldListeners(database, clock.now()),

  sealAgain: (position: RotationPosition) =>
    aliveFor(SEAL_FOR_MS, (mayGoOn) =>
      sealAgain({ database, keyring }, position, {
        mayGoOn,
        unreadable: (place) => log.error(place, 'a stored secret cannot be read'),
      }),
    ),
});
