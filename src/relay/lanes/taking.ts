import type { Sql } from '../../db/sql.ts';
import type { Attempts } from '../../webhooks/lanes/first-attempts/attempts.ts';
import type { DueAttempt } from '../../webhooks/lanes/first-attempts/intake.ts';
import { changedEndpoints } from '../../webhooks/lanes/first-attempts/leases.ts';
import type { Recorder } from '../../webhooks/lanes/first-attempts/recorder.ts';

export interface TakingParts {
  readonly sql: Sql;
  readonly attempts: Attempts;
  readonly recorder: Pick<Recorder, 'release'>;
}

/** The moment before deliveries are read and leased. */
interface Since {
  /** By the monotonic clock. */
  readonly takenAt: number;
  readonly changes: number;
}

/** Passes leased deliveries on to attempts, except those whose endpoint has changed meanwhile. */
export interface Taking {
  since(): Since;
  take(claimed: readonly DueAttempt[], since: Since): Promise<void>;
  /** Endpoints have changed: what this process has taken for them is returned, to be taken again. */
  forgetChanged(): Promise<void>;
}

/** Nothing is lost if the database does not answer: deliveries in doubt are returned and taken again. */
export function createTaking({ sql, attempts, recorder }: TakingParts): Taking {
  let changes = 0;

  /**
   * Returns deliveries for endpoints that have changed since;
   *
   * @returns the others
   */
  async function unchanged(claimed: readonly DueAttempt[]): Promise<readonly DueAttempt[]> {
    const revisions = new Map(claimed.map(({ endpointId, revision }) => [endpointId, revision]));
    // If the database is down right now, it is unknown, so they are taken again.
    const changed = await changedEndpoints(sql, revisions).catch(() => [...revisions.keys()]);
    const { stale = [], fresh = [] } = Object.groupBy(claimed, ({ endpointId }) =>
      changed.includes(endpointId) ? 'stale' : 'fresh',
    );
    recorder.release(stale, 0);
    return fresh;
  }

  return {
    since: () => ({ takenAt: performance.now(), changes }),
    async take(claimed, since) {
      let left = claimed;
      // A pause or a deletion may have been answered while these were being read.
      for (let known = since.changes; known !== changes && left.length > 0; ) {
        known = changes;
        left = await unchanged(left);
      }
      attempts.take(left, since.takenAt);
    },
    async forgetChanged() {
      changes += 1;
      const { revisions } = attempts;
      // A pause or deletion is answered after this: if the database cannot say which, none of them is attempted.
      attempts.drop(await changedEndpoints(sql, revisions).catch(() => [...revisions.keys()]));
    },
  };
}
