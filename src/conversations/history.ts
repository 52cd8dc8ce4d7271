import { keepReached } from '../contacts/reaching.ts';
import { asSystem, BY_INDEX, type Database, inWorkspace } from '../db/database.ts';
import { first, type Sql } from '../db/sql.ts';
import type { Sweep } from '../db/sweeping.ts';
import { DAY_MS } from '../durations.ts';
import { idFloor } from '../ids.ts';

const WORKSPACES = 100;
const MESSAGES = 1_000;
const RECIPIENTS = 1_000;
/** A file can have a hundred pieces of 1 MiB each. */
const FILES = 20;
/** After a downgrade, how long a workspace can still return to its plan before the older messages are deleted. */
const GRACE_DAYS = 30;
/** How long a file of ours is kept for whoever uploaded it, whatever the plan, if nothing names it. */
const UNNAMED_DAYS = 30;

/** A workspace's history ends before `since`: older messages are deleted. */
interface Kept {
  readonly id: string;
  readonly since: Date;
}

/** `since` is null where the history has no end. */
type Workspace = Pick<Kept, 'id'> & { readonly since: Date | null };

const WORKSPACE = `select w.organization_id as id, case
    when w.plan_changed_at is null or w.plan_changed_at <= $1::timestamptz - interval '${GRACE_DAYS} days'
    then $1::timestamptz - make_interval(months => p.history_months) end as since
  from workspaces w join plans p on p.name = w.plan`;

/**
 * Deletes messages older than their workspace's plan keeps them, page by page, then what campaigns said to each, and
 * then files that no message shows any more (design decisions §18); and of all workspaces files that were uploaded and
 * never used. Report figures were computed earlier and stay.
 */
export const historyDropping = (database: Pick<Database, 'app' | 'system'>, now: Date): Sweep => {
  const workspaces = async (condition: string, value: string): Promise<Workspace[]> =>
    asSystem(database, (sql) =>
      sql.rows<Workspace>(`${WORKSPACE} where ${condition}`, [now, value]),
    );
  const unnamedSince = new Date(now.getTime() - UNNAMED_DAYS * DAY_MS);
  return {
    page: async (after) => {
      const order = `w.organization_id > $2 order by w.organization_id limit ${WORKSPACES}`;
      const rows = await workspaces(order, after);
      return { ids: rows.map(({ id }) => id), last: rows.length < WORKSPACES };
    },
    tend: async (organizationId) => {
      const [workspace] = await workspaces('w.organization_id = $2', organizationId);
      if (!workspace) return 0;
      const { id, since } = workspace;
      const dropPage = async (sql: Sql): Promise<number> => {
        const old = since === null ? 0 : await dropOld(sql, { id, since });
        return old > 0 ? old : dropFiles(sql, { id, since: unnamedSince }, OURS);
      };
      return inWorkspace(database, organizationId, dropPage, BY_INDEX);
    },
  };
};

async function dropOld(sql: Sql, kept: Kept): Promise<number> {
  const messages = await dropMessages(sql, kept);
  if (messages > 0) return messages;
  const words = await dropWords(sql, kept);
  return words > 0 ? words : dropFiles(sql, kept, 'true');
}

/**
 * Keeps messages that are evidence of an opt-out, and those that may still be sent. Ids sort by age, so a page reads
 * no more than it deletes.
 */
const dropMessages = async (sql: Sql, { id, since }: Kept): Promise<number> => {
  const old = await sql.rows<{ id: string; reached: string | null }>(
    `select o.id, case when o.campaign_id is not null and o.delivered_at is not null then o.contact_id end as reached
     from messages o
     where o.organization_id = $1 and o.id < $2 and o.created_at < $3
       and o.status not in ('queued', 'sending')
       and not exists (select from contacts c
         where c.organization_id = $1 and c.id = o.contact_id and c.opt_out_message_id = o.id)
     order by o.id limit ${MESSAGES}`,
    [id, idFloor('msg', since), since],
  );
  if (old.length === 0) return 0;
  await keepReached(sql, id, [...new Set(old.flatMap(({ reached }) => reached ?? []))]);
  await sql.rows('delete from messages where organization_id = $1 and id = any($2)', [
    id,
    old.map((message) => message.id),
  ]);
  return old.length;
};

/**
 * A page of what one campaign, over since before then, said to each. Who they were and what became of each stays, for
 * the proof and the reports.
 */
const dropWords = async (sql: Sql, { id, since }: Kept): Promise<number> => {
  const campaign = await first<{ id: string; after: string }>(
    sql,
    `select id, words_dropped_through as after from campaigns
     where organization_id = $1 and finished_at < $2 and not words_dropped order by id limit 1 for update`,
    [id, since],
  );
  if (!campaign) return 0;
  const page = await sql.rows<{ id: string }>(
    `with page as materialized (select id from campaign_recipients
       where organization_id = $1 and campaign_id = $2 and id > $3 order by id limit ${RECIPIENTS}
     ), dropped as (update campaign_recipients r set text = '' from page
       where r.organization_id = $1 and r.campaign_id = $2 and r.id = page.id)
     select id from page order by id`,
    [id, campaign.id, campaign.after],
  );
  await sql.rows(
    `update campaigns set words_dropped_through = $3, words_dropped = $4 where organization_id = $1 and id = $2`,
    [id, campaign.id, page.at(-1)?.id ?? campaign.after, page.length < RECIPIENTS],
  );
  // Without recipients a campaign is one step, for 0 would mean that nothing is left in the workspace.
  return Math.max(page.length, 1);
};

/** Files that were uploaded here, to the letter of their index. */
const OURS = 'f.conversation_id is null';

const UNNAMED = `not exists (select from messages m where m.organization_id = $1 and m.media_id = f.id)
  and not exists (select from automations a
    where a.organization_id = $1 and strpos(a.draft::text, f.id) > 0)
  and not exists (select from automation_versions v
    where v.organization_id = $1 and strpos(v.definition::text, f.id) > 0)`;

/** A page of files that no message and no automation names. One that is being sent is locked: who has seen it keeps it. */
const dropFiles = async (sql: Sql, { id, since }: Kept, which: string): Promise<number> => {
  const found = await sql.rows<{ id: string }>(
    `select f.id from media f
     where f.organization_id = $1 and f.id < $2 and f.created_at < $3 and ${which} and ${UNNAMED}
     order by f.id limit ${FILES} for update of f skip locked`,
    [id, idFloor('med', since), since],
  );
  if (found.length === 0) return 0;
  // Asked again, for what was sent before the locks.
  const dropped = await sql.rows(
    `delete from media f where f.organization_id = $1 and f.id = any($2) and ${UNNAMED} returning 1`,
    [id, found.map((file) => file.id)],
  );
  return dropped.length;
};
