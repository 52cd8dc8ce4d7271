import type { AiClient } from '../src/ai/client.ts';
import type { Hear, Wake } from '../src/context.ts';
import type { Keyring } from '../src/crypto/keyring.ts';
import type { Clock } from '../src/db/clock.ts';
import type { ContextFor } from '../src/db/contexts.ts';
import type { Database } from '../src/db/database.ts';
import type { Gateway } from '../src/gateway/port.ts';
import type { Log } from '../src/log.ts';
import type { SafeSender } from '../src/net/sender.ts';
import type { Backoff } from '../src/webhooks/rules.ts';
import type { OnPostponed } from '../src/webhooks/signing/sender.ts';

/** What activities are made with, once a worker. */
export interface Deps {
  readonly database: Database;
  readonly contextFor: ContextFor;
  /** In time-skipping tests this is the workflow's time, else the database's. */
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly sender: SafeSender;
  /** Absent where none is configured. */
  readonly ai?: AiClient | undefined;
  readonly keyring: Keyring;
  readonly wake: Wake;
  readonly hear?: Hear;
  /** How webhooks are spaced; tests shorten it. */
  readonly backoff?: Backoff;
  /** Counts the webhooks' attempts that are postponed through our own fault. */
  readonly onPostponed?: OnPostponed;
  /** How long behind the lane the workflow of a reminder looks; 0 in tests without a lane. */
  readonly reminderBehindMs?: (reminderId: string) => number;
  readonly log: Log;
}
