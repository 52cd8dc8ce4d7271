import type { Client } from '@temporalio/client';
import type { AiClient } from '../ai/client.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Clock } from '../db/clock.ts';
import type { Database } from '../db/database.ts';
import type { WhatsApp } from '../gateway/port.ts';
import type { Log } from '../log.ts';
import type { SafeSender } from '../net/sender.ts';
import type { Backoff } from '../webhooks/rules.ts';
import type { OnPostponed } from '../webhooks/signing/sender.ts';
import type { Loop } from './loop.ts';
import type { Waker } from './processes/waker.ts';

export interface RelayParts {
  /** The owner's address, for the long-lived connections. */
  readonly url: string;
  readonly database: Database;
  readonly waker: Waker;
  readonly client: Client;
  readonly taskQueue: string;
  /** The console's address; its pages are linked in the Temporal UI. */
  readonly baseUrl?: string;
  readonly sender: SafeSender;
  readonly gateway: WhatsApp;
  /** Absent if none is configured. */
  readonly ai?: AiClient | undefined;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly backoff: Backoff;
  readonly onPostponed?: OnPostponed;
  /** Processes WhatsApp's webhooks in this process. */
  readonly inbound: Pick<Loop, 'poke'>;
  readonly log: Log;
}

export interface StoppedParts extends RelayParts {
  /** Aborted when the relay stops: transfers that may take longer than its end are broken off. */
  readonly stopping?: AbortSignal;
}
