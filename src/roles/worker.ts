import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../../activities/deps.ts';
import { aiOf } from '../ai/client.ts';
import type { Config } from '../config.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { DatabaseClock } from '../db/clock.ts';
import { contextsOf } from '../db/contexts.ts';
import type { Database } from '../db/database.ts';
import type { Checklist } from '../embedded/checklist.ts';
import type { Parts } from '../embedded/parts.ts';
import { createCloudApiGateway } from '../gateway/cloud-api/gateway.ts';
import type { InboundCounts } from '../inbound/counts.ts';
import { createInboundProcessor } from '../inbound/processor.ts';
import type { Log } from '../log.ts';
import { createSafeSender } from '../net/sender.ts';
import type { Readiness } from '../readiness.ts';
import { BY_ITSELF_MS } from '../relay/polling.ts';
import type { Waker } from '../relay/processes/waker.ts';
import { type Relay, startRelay } from '../relay/relay.ts';
import { workerIdentity } from '../relay/rescue.ts';
import { connectTemporal, type Temporal } from '../temporal/connection.ts';
import { installRuntime } from '../temporal/runtime.ts';
import { type RunningWorker, startWorker } from '../temporal-worker.ts';
import type { Backoff } from '../webhooks/rules.ts';
import type { OnPostponed } from '../webhooks/signing/sender.ts';

export interface WorkParts {
  readonly config: Config;
  readonly parts: Parts;
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly log: Log;
  readonly step: Checklist['step'];
  readonly stopping: AbortSignal;
  readonly database: Database;
  readonly clock: DatabaseClock;
  readonly keyring: Keyring;
  readonly waker: Waker;
  readonly counts: InboundCounts;
  readonly onPostponed: OnPostponed;
}

const RETRY_MS = 1_000;
/** How long a start waits for its worker before continuing without. */
const PATIENCE_MS = 5_000;

/** The role `worker`: the relay, WhatsApp's stored webhooks, and this process's share of the workflows. */
export async function startWork(
  options: WorkParts,
  running: NonNullable<Readiness['work']>,
): Promise<{ stop(): Promise<void> }> {
  const { config, parts, log, step, database, clock, keyring, waker, counts, onPostponed } =
    options;
  installRuntime(log, config.TEMPORAL_METRICS_ADDRESS);
  const temporal = connectTemporal(parts.temporal);
  running.temporal = temporal;
  const sender = createSafeSender({ trustedOrigins: parts.trustedOrigins });
  const gateway = createCloudApiGateway({
    baseUrl: parts.whatsapp.apiUrl,
    version: config.WHATSAPP_API_VERSION,
  });
  const ai = aiOf(config);
  const wake = waker.wake;
  const deps = {
    database,
    contextFor: contextsOf({ database, wake, clock }),
    clock,
    gateway,
    sender,
    ai,
    keyring,
    wake,
    hear: waker.onWake,
    backoff: backoffOf(config),
    onPostponed,
    log,
  } satisfies Deps;
  const inbound = createInboundProcessor({ ...deps, counts, pollMs: BY_ITSELF_MS });
  inbound.start();
  const deafen = waker.onWake((news) => {
    if (news === 'inbound' || news === 'reports') inbound.wake(news);
  });
  const ending = new AbortController();
  const stopping = AbortSignal.any([ending.signal, options.stopping]);
  let worker: ReturnType<typeof keepWorking> | undefined;
  const stop = async (): Promise<void> => {
    ending.abort();
    deafen();
    ai?.close();
    await worker?.settled();
    const ended = Promise.all([running.worker?.stop(), inbound.stop()]);
    await Promise.all([ended, running.relay?.stop(ended)]);
    await Promise.all([sender.close(), gateway.close(), temporal.close()]);
  };
  try {
    running.relay = await step('relay', () =>
      startRelay({
        ...deps,
        url: parts.databaseUrl,
        waker,
        client: temporal.client,
        taskQueue: config.TEMPORAL_TASK_QUEUE,
        baseUrl: options.baseUrl,
        inbound: { poke: inbound.wake },
      }),
    );
    // Facts and first attempts go on while Temporal is down; the worker joins as soon as it answers.
    const { relay } = running;
    worker = keepWorking({ ...options, stopping, temporal, relay }, deps, running);
    const joined = step('worker', worker.start);
    await Promise.race([joined, sleep(PATIENCE_MS, undefined, { ref: false })]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

const backoffOf = ({ BACKOFF_SCALE: scale }: Config): Backoff =>
  scale === undefined ? { scale: 1, jitter: Math.random } : { scale, jitter: () => 0 };

/** Starts a worker, and a successor of each that ends by itself, until the process stops. */
function keepWorking(
  parts: Joining,
  deps: Deps,
  running: NonNullable<Readiness['work']>,
): { start(): Promise<void>; settled(): Promise<unknown> } {
  let latest = Promise.resolve();
  const pause = () => sleep(RETRY_MS, undefined, { signal: parts.stopping });
  const start = (): Promise<void> => {
    latest = join(parts, deps).then((worker) => {
      running.worker = worker;
      // What ends the chain is that the process stops.
      void Promise.allSettled([worker.ended])
        .then(pause)
        .then(start)
        .catch(() => {});
    });
    return latest;
  };
  return { start, settled: () => Promise.allSettled([latest]) };
}

type Joining = WorkParts & { readonly temporal: Temporal; readonly relay: Relay };

async function join(
  { config, dataDir, temporal, relay, log, stopping }: Joining,
  deps: Deps,
): Promise<RunningWorker> {
  const options = {
    temporal,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    cacheDir: dataDir,
    stopping,
    deps,
    showServer: relay.showServer,
    buildId: config.TEMPORAL_BUILD_ID,
    identity: workerIdentity(relay.token, process.pid, hostname()),
  };
  for (;;) {
    stopping.throwIfAborted();
    try {
      return await startWorker(options);
    } catch (error) {
      if (!stopping.aborted) log.warn({ err: error }, 'the worker waits for Temporal');
      await sleep(RETRY_MS, undefined, { signal: stopping }).catch(() => {});
    }
  }
}
