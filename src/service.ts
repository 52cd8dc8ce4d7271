import { aiOf } from './ai/client.ts';
import { createApp } from './app.ts';
import { type Config, ownAddress } from './config.ts';
import { createKeyring, type Keyring } from './crypto/keyring.ts';
import { type DatabaseClock, databaseClock } from './db/clock.ts';
import type { ContextParts } from './db/contexts.ts';
import { openDatabase } from './db/database.ts';
import type { Checklist } from './embedded/checklist.ts';
import type { Parts } from './embedded/parts.ts';
import {
  inboundCounts,
  passedOverCounter,
  postponedCounter,
  readyGauge,
  relayGauges,
} from './figures.ts';
import { askAll, operationalMounts } from './http/serving/health.ts';
import { httpMetrics } from './http/serving/metrics.ts';
import { createHttpServer, stopHttpServer } from './http/serving/server.ts';
import { createReceiver } from './inbound/receiver.ts';
import type { Log } from './log.ts';
import { refuseOtherKeys } from './oauth/tokens/signing-keys.ts';
import { probes, type Readiness } from './readiness.ts';
import { createWaker } from './relay/processes/waker.ts';

export interface ServiceOptions {
  readonly config: Config;
  readonly parts: Parts;
  readonly dataDir: string;
  readonly log: Log;
  readonly step: Checklist['step'];
  /** Somebody wants it to end: what takes long in the start is not waited for. */
  readonly stopping: AbortSignal;
}

export interface Service {
  readonly baseUrl: string;
  readonly contexts: ContextParts;
  readonly keyring: Keyring;
  readonly clock: DatabaseClock;
  /** Finishes what is in flight, newest part first. */
  stop(): Promise<void>;
}

/** Composes this process's roles on top of the parts. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, parts, log, step } = options;
  const { trustedOrigins } = parts;
  const baseUrl = config.BASE_URL ?? ownAddress(config);
  await using starting = new AsyncDisposableStack();
  const keyring = createKeyring(parts.encryptionKeys);
  const database = await step('database', () => openDatabase({ url: parts.databaseUrl }));
  starting.defer(() => database.close());
  const clock = await databaseClock(database.system);
  starting.defer(() => clock.stop());
  await refuseOtherKeys({ database, keyring });
  const waker = createWaker({ url: parts.databaseUrl });
  starting.defer(() => waker.close());

  const isWorker = config.ROLES.includes('worker');
  const metrics = httpMetrics();
  const counts = inboundCounts(metrics.registry);
  const onPostponed = postponedCounter(metrics.registry);
  passedOverCounter(metrics.registry);
  const work: Readiness['work'] = isWorker ? { temporal: null, relay: null, worker: null } : null;
  if (work) {
    // Each role loads only what it needs; half of the modules serve only the other role.
    const { startWork } = await import('./roles/worker.ts');
    const running = await startWork(
      { ...options, baseUrl, database, clock, keyring, waker, counts, onPostponed },
      work,
    );
    starting.defer(running.stop);
    relayGauges(metrics.registry, () => work.relay);
  }

  const isApi = config.ROLES.includes('api');
  const receiver = createReceiver({
    database,
    appSecret: parts.whatsapp.appSecret,
    verifyToken: parts.whatsapp.verifyToken,
    counts,
    wake: (news) => void waker.wake(news),
  });
  const contexts = { database, wake: waker.wake };
  const shared = { ...contexts, clock, keyring, baseUrl, log, trustedOrigins };
  const api = isApi
    ? await (await import('./roles/api.ts')).openApiSide({
        ...shared,
        receiver,
        mail: mailOf(options, baseUrl),
        ai: aiOf(config) !== undefined,
        uploadMbADay: config.UPLOAD_MB_PER_DAY,
      })
    : null;
  starting.defer(() => api?.close());
  const health = probes({ database, clock, temporal: parts.temporal, work });
  readyGauge(metrics.registry, config.ROLES, async () => (await askAll(health)).ready);
  const app = createApp({
    ...shared,
    metrics,
    routes: api?.routes ?? [],
    trustedProxies: config.TRUSTED_PROXIES,
    ...(api ? { findMember: api.findMember } : {}),
    mounts: [...operationalMounts(health, metrics), ...(api?.mounts ?? [])],
  });
  const server = createHttpServer(app.handler, baseUrl);
  await step(isApi ? 'API' : 'health', () => listen(server, config.PORT));
  starting.defer(() => stopHttpServer(server, 10_000));
  const running = starting.move();
  return { baseUrl, contexts, keyring, clock, stop: () => running.disposeAsync() };
}

const listen = (server: ReturnType<typeof createHttpServer>, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => resolve());
  });

/** Mail comes from the host that people know, unless a sender is configured. */
const mailOf = ({ config, parts }: ServiceOptions, baseUrl: string) =>
  parts.smtpUrl === null
    ? null
    : {
        url: parts.smtpUrl,
        from: config.MAIL_FROM ?? `Workspace Messaging <no-reply@${new URL(baseUrl).hostname}>`,
      };
