import { system } from '../../access/actor.ts';
import { createFairLimiter, forEachLimited } from '../../concurrency.ts';
import type { Context } from '../../context.ts';
import { contextsOf } from '../../db/contexts.ts';
import { type Database, sqlOver } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import type { ReminderRef } from '../../reminders/running/advance.ts';
import { takeStep } from '../../reminders/running/step.ts';
import { advanceTogether } from '../../reminders/together/advance.ts';
import { createLoop, type Loop } from '../loop.ts';
import type { RelayParts } from '../parts.ts';
import { BY_ITSELF_MS, DUE_FIRST } from '../polling.ts';

/** For one workspace per transaction. */
const TURN = 128;
const PAGE = 1_024;
/** Workspaces processed at once: fewer than the pool's connections, which others need as well. */
const AT_ONCE = 4;
const ALONE_AT_ONCE = 4;
/** The most that wait in this process to be advanced one by one; each workspace leaves as much room as it takes. */
const MOST_ALONE = 1_000;
/** One that takes longer, such as a segment of a million, goes behind the others next time. */
const LONGEST_MS = 5_000;

/** Sleeping reminders are not read, however many there are. */
const DUE = `
select t.organization_id as "organizationId", array_agg(t.id) as ids from (
  select d.*, row_number() over (partition by d.organization_id order by d.wakes_at, d.id) as turn from (
    select organization_id, id, wakes_at from reminders
    where wakes_at <= now() and id <> all($1::text[]) order by wakes_at, id limit ${DUE_FIRST}) d
  order by turn, d.wakes_at limit ${PAGE}) t
where t.turn <= ${TURN} group by 1`;

/** In the workspace's own context. */
const LATER = `
update reminders set wakes_at = now() + interval '1 minute' where organization_id = $1 and id = $2 and wakes_at <= now()`;

interface Due {
  readonly organizationId: string;
  readonly ids: readonly string[];
}

/**
 * Turns due reminders into runs and queued messages in this process: thousands due in the same minute, in a few
 * statements per hundred. Their workflows sleep slightly longer and find it done.
 */
export function createReminderLane(
  parts: Pick<RelayParts, 'waker' | 'clock' | 'log'> & { readonly database: Database },
): Loop {
  const { database, waker, clock, log } = parts;
  const contextFor = contextsOf({ database, wake: waker.wake, clock });
  const contextOf = (organizationId: string): Context =>
    contextFor(organizationId, system('reminders'));
  const alone = createLoneOnes(contextOf, log);

  /**
   * If a group fails, each one is advanced separately, which isolates the failing one.
   *
   * @returns how many were moved, or are about to be
   */
  async function together({ organizationId, ids }: Due): Promise<number> {
    const left = await transact(contextOf(organizationId), (tx) => advanceTogether(tx, ids)).catch(
      (err: unknown) => {
        log.warn({ err, organizationId }, 'reminders are moved one by one');
        return ids;
      },
    );
    return ids.length - left.length + alone.add(organizationId, left);
  }

  async function work(sql: Sql): Promise<boolean> {
    const due = await sql.rows<Due>(DUE, [alone.ids()], 'due-reminders');
    let many = false;
    await forEachLimited(AT_ONCE, due, async (each) => {
      const moved = await together(each);
      // While another process moves the rest, or there is no room for them, asking again at once gains nothing.
      if (moved > 0 && each.ids.length >= TURN) many = true;
    });
    return many;
  }

  const loop = createLoop({
    name: 'the lane of reminders',
    everyMs: BY_ITSELF_MS,
    log,
    work: () => work(sqlOver(database.system)),
  });
  return {
    ...loop,
    stop: async () => {
      await loop.stop();
      await alone.stop();
    },
  };
}

/** Advances reminders one by one beside the loop, workspaces by turns, so that a segment of thousands delays no one. */
function createLoneOnes(contextOf: (organizationId: string) => Context, log: RelayParts['log']) {
  /** Whose each is. */
  const known = new Map<string, string>();
  const placesOf = createFairLimiter(ALONE_AT_ONCE);
  const ending = new Set<Promise<void>>();
  let stopped = false;

  async function move({ organizationId, reminderId }: ReminderRef): Promise<void> {
    const end = performance.now() + LONGEST_MS;
    for (;;) {
      const progress = await transact(contextOf(organizationId), (tx) => takeStep(tx, reminderId));
      if (progress !== 'more' || stopped || performance.now() > end) return;
    }
  }

  /** A failing one is postponed, so that it does not hold up the others. */
  async function putOff({ organizationId, reminderId }: ReminderRef, err: unknown): Promise<void> {
    log.error({ err, reminder: reminderId }, 'a reminder could not be moved yet');
    await transact(contextOf(organizationId), (tx) =>
      tx.sql.rows(LATER, [organizationId, reminderId]),
    );
  }

  async function moveInTurn(ref: ReminderRef): Promise<void> {
    if (stopped) return;
    await move(ref)
      .catch((err: unknown) => putOff(ref, err))
      // The database is down; the reminder is still due.
      .catch(() => {});
    known.delete(ref.reminderId);
  }

  return {
    ids: (): string[] => [...known.keys()],
    /** Takes as many as there is room for; returns how many. */
    add(organizationId: string, ids: readonly string[]): number {
      let own = [...known.values()].filter((whose) => whose === organizationId).length;
      const before = own;
      for (const reminderId of ids) {
        // A share of what is left, so that whoever comes later finds room.
        if (own >= MOST_ALONE - known.size || known.has(reminderId)) continue;
        known.set(reminderId, organizationId);
        own += 1;
        const turn = placesOf(organizationId)(() => moveInTurn({ organizationId, reminderId }));
        const end = turn.finally(() => ending.delete(end));
        ending.add(end);
      }
      return own - before;
    },
    async stop(): Promise<void> {
      stopped = true;
      await Promise.all(ending);
    },
  };
}
