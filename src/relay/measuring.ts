import { type Database, sqlOver } from '../db/database.ts';
import type { Log } from '../log.ts';
import { measures, type RelayFigures } from './figures.ts';
import { createLoop, type Loop } from './loop.ts';

interface MeasuringParts {
  readonly database: Pick<Database, 'system'>;
  readonly figures: RelayFigures;
  readonly log: Log;
}

const EVERY_MS = 5_000;
const OLD_FACT_SECONDS = 60;

/** Keeps the figures of the queues. A loop for each, since a table that is locked says nothing about the others. */
export function createMeasuring({ database, figures, log }: MeasuringParts): Loop[] {
  const sql = sqlOver(database.system);
  let warned = false;

  function warnOfOldFacts(): void {
    const late = figures.oldestFactSeconds > OLD_FACT_SECONDS;
    if (late && !warned) {
      const { factsWaiting, oldestFactSeconds } = figures;
      log.warn({ factsWaiting, oldestFactSeconds }, 'facts wait longer than they should');
    }
    warned = late;
  }

  return Object.entries(measures).map(([queue, measure]) =>
    createLoop({
      name: `the measuring of ${queue}`,
      everyMs: EVERY_MS,
      log,
      work: async () => {
        await measure(sql, figures);
        if (measure === measures.facts) warnOfOldFacts();
        return false;
      },
    }),
  );
}
