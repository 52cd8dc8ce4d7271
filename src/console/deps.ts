import type { PerformingParts } from '../http/performing.ts';
import type { Route } from '../http/route.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Attempts } from '../people/attempts.ts';

/** What the operations need, and the list of them. */
export interface Calling extends PerformingParts {
  readonly routes: readonly Route[];
}

/** What the console needs besides. */
export interface ConsoleParts extends Calling {
  /** Exact origins accepted as endpoints although they are not public HTTPS; for development only. */
  readonly trustedOrigins: readonly string[];
  /** Null if no mail server is configured. */
  readonly mailer: Mailer | null;
  readonly attempts: Pick<Attempts, 'invitation'>;
}
