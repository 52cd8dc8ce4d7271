import { changeNumber } from '../../campaigns/states/number-changes.ts';
import type { Context } from '../../context.ts';
import { inWorkspace } from '../../db/database.ts';
import { transact } from '../../db/transact.ts';
import { eachWorkspace } from '../../db/workspaces.ts';
import { MINUTE_MS } from '../../durations.ts';
import { markHeld } from '../../numbers/moving.ts';
import { NUMBER_PATIENCE_MS } from '../../numbers/rules.ts';
import { counted } from '../output.ts';
import type { Session } from '../session.ts';

type Reach = Pick<Session, 'database' | 'contextFor'>;

interface NumberOf {
  readonly workspace: string;
  readonly number: string;
}

/** A number that stays held, and why. */
interface Refused extends NumberOf {
  readonly because: string;
}

export interface Released {
  readonly released: readonly NumberOf[];
  readonly refused: readonly Refused[];
}

/** After this long, everything that was due before the hold has given up waiting for its number. */
const HELD_FOR_MINUTES = NUMBER_PATIENCE_MS / MINUTE_MS;

export interface Held {
  /** Taken out of use. */
  readonly held: readonly NumberOf[];
  /** Held before, as in the backup of a database whose numbers were held. */
  readonly anew: readonly NumberOf[];
}

const ANY = 'true';
const HELD = 'held_at is not null';

/**
 * Holds every number, in one workspace or in all, so that nothing goes out until they are released (docs/backup.md).
 * Those that can send are taken out of use, and their campaigns paused; those that are down stay so when WhatsApp gives
 * them back. A number that is held already is held from now on: nobody knows what became due since.
 */
export async function holdNumbers(reach: Reach, workspace?: string): Promise<Held> {
  const held: NumberOf[] = [];
  const anew: NumberOf[] = [];
  await inEach(reach, workspace, ANY, async (ctx) => {
    const before = await heldIn(reach, ctx);
    for (const number of await idsWhere(reach, ctx, ANY)) {
      const place = { workspace: ctx.organizationId, number };
      const isOut = await hold(ctx, number);
      if (before.has(number)) anew.push(place);
      else if (isOut) held.push(place);
    }
  });
  return { held, anew };
}

/** Whether that took it out of use. */
const hold = (ctx: Context, number: string): Promise<boolean> =>
  transact(ctx, async (tx) => {
    const moved = await changeNumber(tx, number, { cause: 'held' });
    await markHeld(tx, number, tx.now);
    if (moved) tx.recorded.add('campaigns');
    return moved !== null;
  });

/**
 * Releases held numbers; those that are down for another reason stay down. Their campaigns stay paused, because a
 * person must decide about each. Without `atOnce` a number stays held while anything from before the hold could still
 * go out. Returns the numbers that it put back into use, and those that stay held.
 */
export async function releaseNumbers(
  reach: Reach,
  { workspace, atOnce }: { readonly workspace?: string | undefined; readonly atOnce: boolean },
): Promise<Released> {
  const released: NumberOf[] = [];
  const refused: Refused[] = [];
  await inEach(reach, workspace, HELD, async (ctx) => {
    for (const number of await idsWhere(reach, ctx, HELD)) {
      const place = { workspace: ctx.organizationId, number };
      const because = atOnce ? null : await stillOwing(reach, ctx, number);
      if (because) refused.push({ ...place, because });
      else if (await release(ctx, number)) released.push(place);
    }
  });
  return { released, refused };
}

/** Whether that put it back into use. */
const release = (ctx: Context, number: string): Promise<boolean> =>
  transact(ctx, async (tx) => {
    await markHeld(tx, number, null);
    return (await changeNumber(tx, number, { cause: 'released' })) !== null;
  });

/** Why the number must stay held; null once everything due before has given up. */
async function stillOwing(
  { database }: Reach,
  { organizationId }: Context,
  id: string,
): Promise<string | null> {
  const [found] = await inWorkspace(database, organizationId, (sql) =>
    sql.rows<{ minutes: number; waiting: number; runs: number }>(
      `select floor(extract(epoch from now() - n.held_at) / 60)::int as minutes,
       (select count(*) from outgoing_messages o where o.organization_id = $1 and o.number_id = $2
         and o.created_at <= n.held_at)::int as waiting,
       (select count(*) from reminder_runs r where r.organization_id = $1 and r.status = 'running'
        and r.content ->> 'number_id' = $2 and r.started_at <= n.held_at)::int as runs
     from numbers n where n.organization_id = $1 and n.id = $2`,
      [organizationId, id],
    ),
  );
  if (!found) return null;
  if (found.minutes < HELD_FOR_MINUTES)
    return `held for ${counted(found.minutes, 'minute', 'minutes')}; what was due before would still go out until it is ${HELD_FOR_MINUTES}`;
  const { waiting, runs } = found;
  if (waiting > 0)
    return `${counted(waiting, 'message from before still waits', 'messages from before still wait')}; does a worker run?`;
  return runs > 0
    ? `${counted(runs, 'run of a reminder from before still goes on', 'runs of reminders from before still go on')}; does a worker run?`
    : null;
}

/** The numbers of the workspace that are held, whatever their status is. */
export const heldIn = async (
  reach: Pick<Reach, 'database'>,
  ctx: Context,
): Promise<ReadonlySet<string>> => new Set(await idsWhere(reach, ctx, HELD));

async function idsWhere(
  { database }: Pick<Reach, 'database'>,
  { organizationId }: Context,
  where: string,
): Promise<string[]> {
  const rows = await inWorkspace(database, organizationId, (sql) =>
    sql.rows<{ id: string }>(
      `select id from numbers where organization_id = $1 and ${where} order by id`,
      [organizationId],
    ),
  );
  return rows.map(({ id }) => id);
}

/** Runs in the one workspace, or in each that has such numbers. */
async function inEach(
  { database, contextFor }: Reach,
  workspace: string | undefined,
  where: string,
  work: (ctx: Context) => Promise<void>,
): Promise<void> {
  if (workspace !== undefined) return work(await contextFor(workspace));
  for await (const id of eachWorkspace(database, { table: 'numbers', where }))
    await work(await contextFor(id));
}
