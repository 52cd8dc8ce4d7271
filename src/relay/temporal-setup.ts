import type { Log } from '../log.ts';
import type { Temporal } from '../temporal/connection.ts';
import { ensureSchedules } from '../temporal/schedules.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { createLoop, type Loop } from './loop.ts';

type Setup = { readonly temporal: Temporal; readonly taskQueue: string };

const DEADLINE_MS = 5_000;

/** What a Temporal needs before it can serve us. It changes nothing that is there. */
export const setUpTemporal = ({ temporal, taskQueue }: Setup): Promise<void> =>
  temporal.connection.withDeadline(Date.now() + DEADLINE_MS, async () => {
    await registerSearchAttributes(temporal.connection, temporal.address.namespace);
    await ensureSchedules(temporal.client, taskQueue);
  });

/** Looks again and again: a Temporal that was emptied or replaced has lost its Schedules. */
export const keepTemporalSetUp = (setup: Setup, log: Log, everyMs = 60_000): Loop =>
  createLoop({
    name: 'setting up Temporal',
    everyMs,
    log,
    work: () => setUpTemporal(setup).then(() => false),
  });
