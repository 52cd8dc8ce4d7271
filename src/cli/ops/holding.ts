import { changeNumber } from '../../campaigns/states/number-changes.ts';
import type { Context } from '../../context.ts';
import { inWorkspace } from '../../db/database.ts';
import { type Having, workspacesAfter } from '../../db/workspaces.ts';
import type { Session } from '../session.ts';

type Reach = Pick<Session, 'database' | 'contextFor'>;

export interface NumberOf {
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
const HELD_FOR_MINUTES = 60;

const SENDING = `status in ('connected', 'degraded')`;
const DOWN = `status = 'disconnected'`;

/**
 * Holds every sending number, in one workspace or in all, and pauses its campaigns, so that nothing goes out until
 * they are released (docs/backup.md). Returns the numbers that it held; run again, it holds the remaining ones.
 */
export async function holdNumbers(reach: Reach, workspace?: string): Promise<NumberOf[]> {
  const held: NumberOf[] = [];
  await inEach(reach, workspace, SENDING, async (ctx) => {
    const numbers = await idsWhere(reach, ctx, SENDING);
    for (const number of numbers)
      if (await changeNumber(ctx, number, { cause: 'held' }))
        held.push({ workspace: ctx.organizationId, number });
  });
  return held;
}

/**
 * Releases held numbers, and none that are down for another reason. Their campaigns stay paused, because a person
 * must decide about each. Without `atOnce` a number stays held while anything from before the hold could still go
 * out.
 */
export async function releaseNumbers(
  reach: Reach,
  { workspace, atOnce }: { readonly workspace?: string | undefined; readonly atOnce: boolean },
): Promise<Released> {
  const released: NumberOf[] = [];
  const refused: Refused[] = [];
  await inEach(reach, workspace, DOWN, async (ctx) => {
    for (const number of await idsWhere(reach, ctx, `${DOWN} and status_reason = 'held'`)) {
      const place = { workspace: ctx.organizationId, number };
      const because = atOnce ? null : await stillOwing(reach, ctx, number);
      if (because) refused.push({ ...place, because });
      else if (await changeNumber(ctx, number, { cause: 'released' })) released.push(place);
    }
  });
  return { released, refused };
}

/** Why the number must stay held; null once everything due before has given up. */
async function stillOwing(
  { database }: Reach,
  { organizationId }: Context,
  id: string,
): Promise<string | null> {
  const [found] = await inWorkspace(database, organizationId, (sql) =>
    sql.rows<{ minutes: number; waiting: number }>(
      `select floor(extract(epoch from now() - n.status_changed_at) / 60)::int as minutes,
       (select count(*) from outgoing_messages o where o.organization_id = $1 and o.number_id = $2
         and o.created_at <= n.status_changed_at)::int as waiting
     from numbers n where n.organization_id = $1 and n.id = $2`,
      [organizationId, id],
    ),
  );
  if (!found) return null;
  if (found.minutes < HELD_FOR_MINUTES)
    return `held for ${found.minutes} minutes; what was due before would still go out until it is ${HELD_FOR_MINUTES}`;
  return found.waiting > 0
    ? `${found.waiting} messages from before still wait; does a worker run?`
    : null;
}

async function idsWhere(
  { database }: Reach,
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
  if (workspace) return work(await contextFor(workspace));
  const having: Having = { table: 'numbers', where };
  let after = '';
  for (let more = true; more; ) {
    const { ids, last } = await workspacesAfter(database, after, having);
    for (const id of ids) await work(await contextFor(id));
    after = ids.at(-1) ?? after;
    more = !last;
  }
}
