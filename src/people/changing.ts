import { system } from '../access/actor.ts';
import type { Change } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { RequestInfo } from '../context.ts';
import type { Clock } from '../db/clock.ts';
import { actingIn, asSystem, type Database } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';

export interface PeopleParts {
  readonly database: Pick<Database, 'system'>;
  readonly clock: Clock;
}

/** A transaction on what belongs to people and to no workspace, and its business time. */
export interface PeopleTx {
  readonly sql: Sql;
  readonly now: Date;
}

/** Runs `work` in one transaction, at one moment of business time. */
export const changing = <T>(
  { database, clock }: PeopleParts,
  work: (tx: PeopleTx) => Promise<T>,
): Promise<T> => asSystem(database, (sql) => work({ sql, now: clock.now() }));

/** What became of a person's way in. */
export interface PersonHappening {
  readonly userId: string;
  readonly action: `member.${string}`;
  readonly changes?: readonly Change[];
  readonly request: RequestInfo;
  /** Nobody proved to be the person: the service itself stands as who did it. */
  readonly unproven?: true;
}

interface Place {
  readonly organizationId: string;
  readonly id: string;
  readonly name: string;
}

/**
 * Joins the transaction: an entry in the log of each workspace where the person is active, in which they are the
 * actor and the target (design decisions §19). Call it last: it holds these logs until the commit.
 */
export async function logPerson(
  { sql, now }: PeopleTx,
  { userId, action, changes = [], request, unproven }: PersonHappening,
): Promise<void> {
  // In one order, so that two people of the same workspaces do not wait for each other.
  const places = await sql.rows<Place>(
    `select organization_id as "organizationId", id, name from members
     where user_id = $1 and status = 'active' order by organization_id`,
    [userId],
    'places-of-person',
  );
  for (const { organizationId, id, name } of places) {
    const actor = unproven ? system('sign-in') : ({ type: 'member', id, name, app: null } as const);
    const target = { type: 'member', id, name };
    await actingIn(sql, organizationId, () =>
      audit({ sql, organizationId, actor, request, now }, { action, target, changes }),
    );
  }
}
