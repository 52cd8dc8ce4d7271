import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { databaseClock } from '../../src/db/clock.ts';
import type { Database } from '../../src/db/database.ts';
import { createCloudApiGateway } from '../../src/gateway/cloud-api/gateway.ts';
import { createLog } from '../../src/log.ts';
import { createSafeSender, type SafeSender } from '../../src/net/sender.ts';
import type { RelayParts } from '../../src/relay/parts.ts';
import { createWaker, type Waker } from '../../src/relay/processes/waker.ts';
import { type Relay, startRelay } from '../../src/relay/relay.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { testKeyring } from './factories/numbers.ts';

export interface RunningRelay {
  readonly relay: Relay;
  readonly client: Client;
  readonly waker: Waker;
  readonly sender: SafeSender;
  readonly taskQueue: string;
  stop(): Promise<void>;
}

export interface RelayWishes {
  readonly url: string;
  readonly database: Database;
  readonly trustedOrigins: readonly string[];
  /** Nothing listens there by default: commands then wait. */
  readonly temporalAddress?: string;
  /** A simulator's address; nothing listens there by default. */
  readonly whatsAppUrl?: string;
  /** How long a webhook's receiver may take, in milliseconds; 10 seconds by default. */
  readonly deadlineMs?: number;
  readonly parts?: Partial<RelayParts>;
}

const NOWHERE = '127.0.0.1:1';
const NO_WHATSAPP = 'http://127.0.0.1:1';

/** A relay as a worker process has it, with quick and even backoff. */
export async function runRelay(wishes: RelayWishes): Promise<RunningRelay> {
  const { url, database } = wishes;
  const address = wishes.temporalAddress ?? NOWHERE;
  const temporal = connectTemporal({ address, namespace: 'default' });
  const { client } = temporal;
  const waker = createWaker({ url });
  const { trustedOrigins, deadlineMs } = wishes;
  const sender = createSafeSender({ trustedOrigins, ...(deadlineMs ? { deadlineMs } : {}) });
  const gateway = createCloudApiGateway({
    baseUrl: wishes.whatsAppUrl ?? NO_WHATSAPP,
    version: 'v23.0',
    // A machine that stands still for a moment is no WhatsApp that does not answer.
    deadlineMs: 60_000,
  });
  const clock = await databaseClock(database.system);
  const taskQueue = `test-${randomUUID()}`;
  const relay = await startRelay({
    url,
    database,
    waker,
    client,
    taskQueue,
    sender,
    gateway,
    keyring: testKeyring,
    clock,
    backoff: { scale: 1, jitter: () => 0 },
    inbound: { poke: () => {} },
    log: createLog({ level: process.env['LOG_LEVEL'] ?? 'silent', format: 'json' }),
    ...wishes.parts,
  });
  const stop = async (): Promise<void> => {
    await relay.stop();
    clock.stop();
    await waker.close();
    await sender.close();
    await gateway.close();
    await temporal.close();
  };
  return { relay, client, waker, sender, taskQueue, stop };
}
