import { Context } from '@temporalio/activity';
import { type RollUpPosition, rollUpNext } from '../src/reports/upkeep.ts';
import { dropHistory } from '../src/webhooks/history.ts';
import { alive } from './alive.ts';
import type { Deps } from './deps.ts';

const ROLL_UP_FOR_MS = 15_000;
const DROP_FOR_MS = 60_000;
/** So often a workspace that fails is tried again; then the others have their turn, and it the next hour. */
const TRIES = 5;

export const upkeepActivities = ({
  database,
  clock,
  log,
}: Pick<Deps, 'database' | 'clock' | 'log'>) => ({
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
});
