import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { automationActivities } from '../../../../activities/automations.ts';
import { failureInterceptor } from '../../../../activities/failure.ts';
import { type Actor, system } from '../../../../src/access/actor.ts';
import type { AiClient } from '../../../../src/ai/client.ts';
import type { RunDeps } from '../../../../src/automations/running/deps.ts';
import { actOn, goOn } from '../../../../src/automations/running/listening/acting.ts';
import type { Context } from '../../../../src/context.ts';
import { createContext } from '../../../../src/db/contexts.ts';
import { type Database, sqlOver } from '../../../../src/db/database.ts';
import { createLog } from '../../../../src/log.ts';
import { createSafeSender } from '../../../../src/net/sender.ts';
import { relayCommands } from '../../../../src/relay/commands.ts';
import { createTemporalCalls, type TemporalCalls } from '../../../../src/relay/temporal-calls.ts';
import { openOwnDatabase } from '../../../support/database.ts';
import { PATIENT, timeSkipping, workflowBundle } from '../../../support/env.ts';

export interface EngineStage {
  readonly database: Database;
  readonly environment: TestWorkflowEnvironment;
  readonly deps: RunDeps;
  readonly calls: TemporalCalls;
  /** A context as of now in skipped time. */
  at(organizationId: string, actor?: Actor): Promise<Context>;
  now(): Promise<Date>;
  /** The relay's part: what happened to runs, commands to workflows, until nothing is left. */
  settle(): Promise<void>;
  /** Skips so much time; what is due in it happens at its moment. */
  advance(ms: number): Promise<void>;
  handle(runId: string): WorkflowHandle;
  restartWorker(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Runs of automations in skipped time: the time-skipping server has their workflows, and the lane and the
 * relay of commands work by its clock. They also do so within the activities, for while one runs no time
 * is skipped.
 */
export async function openEngineStage(
  trustedOrigins: readonly string[] = [],
  ai?: AiClient,
): Promise<EngineStage> {
  const database = await openOwnDatabase();
  const environment = await timeSkipping();
  const clock = await serverClock(environment);
  const log = createLog({ level: 'silent', format: 'json' });
  const sender = createSafeSender({ trustedOrigins });
  const contextFor = (organizationId: string, actor: Actor): Context =>
    createContext({ database, wake: () => {} }, { organizationId, actor, now: clock.now() });
  const deps: RunDeps = { sender, ai, log, clock, contextFor };
  const taskQueue = `runs-${randomUUID()}`;
  const sql = sqlOver(database.system);
  const calls = createTemporalCalls(environment.client, taskQueue, { clock, ...PATIENT });
  const token = randomUUID();

  const work = async (): Promise<number> => {
    const happenings = await sql.rows<{ organizationId: string; id: string }>(
      'select organization_id as "organizationId", id from automation_triggers order by id',
    );
    for (const happening of happenings) await actOn(deps, happening);
    const due = await sql.rows<{ organizationId: string; runId: string }>(
      'select organization_id as "organizationId", id as "runId" from automation_runs where lane_at <= $1',
      [clock.now()],
    );
    for (const run of due) await goOn(deps, run);
    const { taken } = await relayCommands({ database, token, calls, log });
    return happenings.length + due.length + taken;
  };
  let settling: Promise<void> = Promise.resolve();
  const settle = (): Promise<void> => {
    settling = settling.then(async () => {
      while ((await work()) > 0);
    });
    return settling;
  };
  const around = async (next: () => Promise<unknown>): Promise<unknown> => {
    const result = await next();
    await settle();
    return result;
  };
  const startWorker = () => runWorker({ environment, taskQueue, deps, around });
  let stopWorker = await startWorker();

  return {
    database,
    environment,
    deps,
    calls,
    at: async (organizationId, actor = system('tests')) => {
      await clock.read();
      return contextFor(organizationId, actor);
    },
    now: clock.read,
    settle: async () => {
      await clock.read();
      await settle();
    },
    advance: async (ms) => {
      await clock.read();
      await settle();
      await environment.sleep(ms);
      await clock.read();
      await settle();
    },
    handle: (runId) => environment.client.workflow.getHandle(`run:${runId}`),
    restartWorker: async () => {
      await stopWorker();
      stopWorker = await startWorker();
    },
    close: async () => {
      await stopWorker();
      await environment.teardown();
      await sender.close();
      await database.close();
    },
  };
}

interface WorkerParts {
  readonly environment: TestWorkflowEnvironment;
  readonly taskQueue: string;
  readonly deps: RunDeps;
  readonly around: (next: () => Promise<unknown>) => Promise<unknown>;
}

/** @returns how to stop it */
async function runWorker(parts: WorkerParts): Promise<() => Promise<void>> {
  const { environment, taskQueue, deps, around } = parts;
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue,
    workflowBundle,
    // Each task replays from the beginning, and none waits for a worker that has gone.
    maxCachedWorkflows: 0,
    activities: automationActivities(deps),
    interceptors: {
      activity: [
        () => ({ inbound: { execute: (input, next) => around(() => next(input)) } }),
        () => ({ inbound: failureInterceptor }),
      ],
    },
  });
  const running = worker.run();
  return async () => {
    worker.shutdown();
    await running;
  };
}

/** In an activity the time at which the server gave it out, else what the server said last. */
async function serverClock(environment: TestWorkflowEnvironment) {
  let known = { serverMs: 0, atMs: 0 };
  const read = async (): Promise<Date> => {
    known = { serverMs: await environment.currentTimeMs(), atMs: performance.now() };
    return new Date(known.serverMs);
  };
  await read();
  const between = (): number => known.serverMs + Math.floor(performance.now() - known.atMs);
  const inActivity = (): number | null => {
    try {
      return activityInfo().currentAttemptScheduledTimestampMs;
    } catch {
      return null;
    }
  };
  return { now: () => new Date(inActivity() ?? between()), skewMs: 0, read };
}
