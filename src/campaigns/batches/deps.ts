import type { Hear, Wake } from '../../context.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Clock } from '../../db/clock.ts';
import type { ContextFor } from '../../db/contexts.ts';
import type { Database } from '../../db/database.ts';
import type { Gateway } from '../../gateway/port.ts';

/** What sending a batch needs. */
export interface SendingDeps {
  readonly database: Pick<Database, 'app'>;
  readonly contextFor: ContextFor;
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly keyring: Keyring;
  readonly wake: Wake;
  /** Absent if no other process changes campaigns. */
  readonly hear?: Hear | undefined;
}
