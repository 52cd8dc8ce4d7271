import { Context } from '@temporalio/activity';
import { type RotationPosition, sealAgain } from '../src/crypto/rotation.ts';
import { tendAuthorization } from '../src/oauth/upkeep.ts';
import { forgetPastSignIns } from '../src/people/upkeep.ts';
import { type RollUpPosition, rollUpNext } from '../src/reports/upkeep.ts';
import { dropHistory } from '../src/webhooks/deliveries/history.ts';
import { forgetDeletedEndpoints, forgetPreviousSecrets } from '../src/webhooks/forgetting.ts';
import { endOldListeners } from '../src/webhooks/listeners/service.ts';
import { alive } from './alive.ts';
import type { Deps } from './deps.ts';

const ROLL_UP_FOR_MS = 15_000;
const DROP_FOR_MS = 60_000;
const SEAL_FOR_MS = 15_000;
/** So often a workspace that fails is tried again; then the others have their turn, and it the next hour. */
const TRIES = 5;

/** The activities of the upkeep Schedules. Each finds expired rows by itself, so a repetition finds nothing. */
export const upkeepActivities = ({
  database,
  clock,
  keyring,
  log,
}: Pick<Deps, 'database' | 'clock' | 'keyring' | 'log'>) => ({
  rollUpReports: (position: RollUpPosition) =>
    alive(async (stopped) => {
      const { attempt } = Context.current().info;
      const end = performance.now() + ROLL_UP_FOR_MS;
      const mayGoOn = (): boolean => !stopped.aborted && performance.now() < end;
      const failed = (organizationId: string, error: unknown): void => {
        if (attempt < TRIES) throw error;
        log.error(
          { err: error, organizationId },
          'the reports of a workspace cannot be written down',
        );
      };
      return rollUpNext(database, position, { now: clock.now(), mayGoOn, failed });
    }),

  dropWebhookHistory: () =>
    alive((stopped) => {
      const end = performance.now() + DROP_FOR_MS;
      return dropHistory(database, () => !stopped.aborted && performance.now() < end);
    }),

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
    alive((stopped) => {
      const end = performance.now() + SEAL_FOR_MS;
      return sealAgain({ database, keyring }, position, {
        mayGoOn: () => !stopped.aborted && performance.now() < end,
        unreadable: (place) => log.error(place, 'a stored secret cannot be read'),
      });
    }),
});
