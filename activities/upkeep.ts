import { type RollUpPosition, rollUpNext } from '../src/reports/upkeep.ts';
import { alive } from './alive.ts';
import type { Deps } from './deps.ts';

const ROLL_UP_FOR_MS = 15_000;

export const upkeepActivities = ({ database, clock }: Pick<Deps, 'database' | 'clock'>) => ({
  rollUpReports: (position: RollUpPosition) =>
    alive(async (stopped) => {
      const end = performance.now() + ROLL_UP_FOR_MS;
      const mayGoOn = (): boolean => !stopped.aborted && performance.now() < end;
      return rollUpNext(database, position, { now: clock.now(), mayGoOn });
    }),
});
