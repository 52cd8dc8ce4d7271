import type { Client } from '@temporalio/client';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import type { Usage } from './cpu.ts';
import { type Figure, percentile } from './report.ts';

/** Runs whose histories are counted. */
const LOOKED_AT = 20;

export interface Run {
  /** Milliseconds from each message to the first answer, in the order of the messages. */
  readonly waits: readonly number[];
  /** Milliseconds by which second answers came later than their second. */
  readonly late: readonly number[];
  /** Milliseconds from the last answer until each run that waits had its workflow. */
  readonly startedMs: number;
  readonly usage: Usage;
  readonly workflows: number;
  readonly tasks: number;
  readonly activities: number;
}

/** How many runs had a workflow, and what one costs. */
export async function workflowsOf(database: Database, client: Client, organizationId: string) {
  const rows = await inWorkspace(database, organizationId, (sql) =>
    sql.rows<{ id: string }>('select id from automation_runs where has_workflow order by id', []),
  );
  const seen = { tasks: 0, activities: 0 };
  const looked = rows.slice(-LOOKED_AT);
  for (const { id } of looked) {
    const { events } = await client.workflow.getHandle(`run:${id}`).fetchHistory();
    for (const event of events ?? []) {
      if (event.workflowTaskCompletedEventAttributes) seen.tasks += 1;
      if (event.activityTaskCompletedEventAttributes) seen.activities += 1;
    }
  }
  const share = Math.max(1, looked.length);
  return {
    workflows: rows.length,
    tasks: seen.tasks / share,
    activities: seen.activities / share,
  };
}

const quarter = (values: readonly number[], nth: 0 | 3): readonly number[] => {
  const size = Math.ceil(values.length / 4);
  return values.slice(nth * size, (nth + 1) * size);
};

/** How fast the lag grew: from the middle of the first quarter to that of the last. */
const growth = (waits: readonly number[], seconds: number): number =>
  (percentile(quarter(waits, 3), 0.5) - percentile(quarter(waits, 0), 0.5)) / (0.75 * seconds);

const ALL = ['api', 'worker', 'postgres', 'temporal', 'simulator', 'driver'];

interface Load {
  readonly people: number;
  readonly seconds: number;
  /** The pace is that of ordinary days: then answers are held to their limit, else only the growth is. */
  readonly isCalm: boolean;
}

export function figures(runs: readonly Run[], { people, seconds, isCalm }: Load): Figure[] {
  const of = (value: (one: Run) => number): number[] => runs.map(value);
  const cpu = (names: readonly string[]) =>
    of(({ usage }) => {
      const used = names.reduce((sum, name) => sum + (usage.seconds[name] ?? 0), 0);
      return (used / people) * 1_000;
    });
  return [
    {
      what: 'message to reply, p50, ms',
      values: of((one) => percentile(one.waits, 0.5)),
      ...(isCalm ? { atMost: 150 } : {}),
    },
    { what: 'message to reply, p99, ms', values: of((one) => percentile(one.waits, 0.99)) },
    {
      what: 'p50 of the first quarter, ms',
      values: of((one) => percentile(quarter(one.waits, 0), 0.5)),
    },
    {
      what: 'p50 of the last quarter, ms',
      values: of((one) => percentile(quarter(one.waits, 3), 0.5)),
    },
    {
      what: 'lag grew by, ms each second',
      digits: 1,
      values: of((one) => growth(one.waits, seconds)),
      ...(isCalm ? {} : { atMost: 3 }),
    },
    { what: 'wait of a second too long, p50, ms', values: of((one) => percentile(one.late, 0.5)) },
    { what: 'wait of a second too long, p99, ms', values: of((one) => percentile(one.late, 0.99)) },
    { what: 'last answer to last workflow started, ms', values: of((one) => one.startedMs) },
    { what: 'workflows for each run', digits: 2, values: of((one) => one.workflows / people) },
    { what: 'workflow tasks of such a run', digits: 1, values: of((one) => one.tasks) },
    { what: 'activities of such a run', digits: 1, values: of((one) => one.activities) },
    {
      what: 'CPU s per 1,000: api, worker and postgres',
      digits: 2,
      values: cpu(['api', 'worker', 'postgres']),
    },
    ...ALL.map((name) => ({ what: `… ${name}`, digits: 2, values: cpu([name]) })),
    {
      what: 'cores that the pace needs, with simulator and driver',
      digits: 2,
      values: cpu(ALL).map((each) => (each / 1_000) * (people / seconds)),
    },
  ];
}
