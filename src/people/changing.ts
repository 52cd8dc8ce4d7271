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

/** A transaction on data of people rather than workspaces, with its business time. */
export interface PeopleTx {
  readonly sql: Sql;
  readonly now: Date;
}

/** Runs `work` in one transaction, at one moment of business time. */
export const changing = <T>(
  { database, clock }: PeopleParts,
  work: (tx: PeopleTx) => Promise<T>,
): Promise<T> => asSystem(database, (sql) => work({ sql, now: clock.now() }));

/** An event in a person's access: signing in, a changed password, and so on. */
export interface PersonHappening {
  readonly userId: string;
  readonly action: `member.${string}`;
  readonly changes?: readonly Change[];
  readonly request: RequestInfo;
  /** No one proved to be the person, so the service itself is recorded as the actor. */
  readonly unproven?: true;
}

interface Place {
  readonly organizationId: string;
  readonly id: string;
  readonly name: string;
}

/**
 * Adds an entry to the audit log of each workspace where the person is active, with the person as actor and target
 * (design decisions §19), in the caller's transaction. Call it last: it locks these logs until the commit.
 */
export async function logPerson(
  { sql, now }: PeopleTx,
  { userId, action, changes = [], request, unproven }: PersonHappening,
): Promise<void> {
  for (const { organizationId, id, name } of await placesOf(sql, userId)) {
    const actor = unproven ? system('sign-in') : ({ type: 'member', id, name, app: null } as const);
    const target = { type: 'member', id, name };
    await actingIn(sql, organizationId, () =>
      audit({ sql, organizationId, actor, request, now }, { action, target, changes }),
    );
  }
}

/**
 * In a fixed order, so that two people in the same workspaces cannot deadlock.
 *
 * @param everywhere also where the person is invited or suspended
 */
const placesOf = (sql: Sql, userId: string, everywhere = false): Promise<Place[]> =>
  sql.rows(
    `select organization_id as "organizationId", id, name from members
     where user_id = $1 and ($2 or status = 'active') order by organization_id`,
    [userId, everywhere],
    'places-of-person',
  );

/** No conversation is given any more to whoever leaves; in another browser they are there again within a minute. */
export const goOffline = ({ sql }: PeopleTx, userId: string): Promise<void> =>
  inPlaces(
    sql,
    userId,
    'update members set online_until = null where organization_id = $1 and id = $2 and online_until is not null',
  );

/** Each workspace knows them by this address, also where they are invited or suspended. */
export const readdress = ({ sql }: PeopleTx, userId: string, email: string): Promise<void> =>
  inPlaces(sql, userId, 'update members set email = $3 where organization_id = $1 and id = $2', {
    params: [email],
    everywhere: true,
  });

/** For a new session that is no new sign-in: who was away since the former one still is. */
export const stayAway = ({ sql, now }: PeopleTx, { userId, signedInAt }: Former): Promise<void> =>
  inPlaces(
    sql,
    userId,
    'update members set away_since = $4 where organization_id = $1 and id = $2 and away_since >= $3',
    { params: [signedInAt, now] },
  );

interface Former {
  readonly userId: string;
  readonly signedInAt: Date;
}

interface Widened {
  /** From `$3` on. */
  readonly params?: readonly unknown[];
  readonly everywhere?: boolean;
}

async function inPlaces(
  sql: Sql,
  userId: string,
  text: string,
  { params = [], everywhere = false }: Widened = {},
): Promise<void> {
  for (const { organizationId, id } of await placesOf(sql, userId, everywhere))
    await actingIn(sql, organizationId, () => sql.rows(text, [organizationId, id, ...params]));
}
