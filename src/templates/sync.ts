import { createTaking } from '../concurrency.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Clock } from '../db/clock.ts';
import { type Database, inWorkspace, sqlOver } from '../db/database.ts';
import { first, type Sql } from '../db/sql.ts';
import { AppError } from '../errors.ts';
import type { RemoteTemplate, WhatsApp } from '../gateway/port.ts';
import type { Log } from '../log.ts';
import { noteSignal } from '../numbers/health.ts';
import { pinNumber } from '../numbers/known.ts';
import type { Provider } from '../numbers/rules.ts';
import { readableToken } from '../numbers/sending.ts';

export interface SyncDeps {
  readonly database: Pick<Database, 'app' | 'system'>;
  readonly gateway: Pick<WhatsApp, 'templates' | 'quality'>;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly log: Log;
  /** The process ends: others read the rest. */
  readonly stopping?: AbortSignal | undefined;
}

interface DueNumber {
  readonly organizationId: string;
  readonly numberId: string;
}

interface TakenNumber extends DueNumber {
  /** Until when others leave it alone, in PostgreSQL's words. */
  readonly until: string;
  readonly account: AccountRow | null;
}

/** Of a process's. An account with many templates, or that hardly answers, takes minutes, and the places are few. */
const AT_ONCE_OF_ONE = 2;
/** How soon a template that was approved, paused or refused is known here, and a quality that changed. */
const AGAIN_MS = 10 * 60 * 1000;

const DUE = `
select n.organization_id as "organizationId", n.id as "numberId" from numbers n
left join template_syncs s on s.organization_id = n.organization_id and s.number_id = n.id
where n.phone_number_id is not null and (s.due_at is null or s.due_at <= now()) and n.organization_id <> all($1::text[])
order by s.due_at nulls first limit 1`;

/**
 * Reads the templates of due numbers, and how WhatsApp rates those of the Cloud API, one after the other. Any number of
 * callers may do so side by side, of whom one workspace keeps two busy at most, and any number of processes: whoever takes
 * a number first postpones its time.
 *
 * @returns what reads the next number's, and says whether there was one
 */
export function createTemplateSync(deps: SyncDeps): () => Promise<boolean> {
  const sql = sqlOver(deps.database.system);
  return createTaking(AT_ONCE_OF_ONE, async (full) => {
    const [due] = await sql.rows<DueNumber>(DUE, [full], 'templates-due');
    if (!due) return null;
    const taken = await takeNumber(deps, due);
    return { whose: due.organizationId, work: async () => taken && tryToRead(deps, taken) };
  });
}

/** Null if another process was quicker. */
const takeNumber = (
  { database }: SyncDeps,
  { organizationId, numberId }: DueNumber,
): Promise<TakenNumber | null> =>
  inWorkspace(database, organizationId, async (sql) => {
    const until = await postpone(sql, organizationId, numberId);
    if (until === null) return null;
    const account = await accountOf(sql, organizationId, numberId);
    return { organizationId, numberId, until, account };
  });

const tryToRead = (deps: SyncDeps, taken: TakenNumber): Promise<void> =>
  readNumber(deps, taken).catch((err: unknown) => {
    const { organizationId, numberId } = taken;
    // What we broke off says nothing of the number.
    if (!deps.stopping?.aborted)
      deps.log.warn(
        { organizationId, numberId, err },
        'templates or the quality of a number could not be read',
      );
  });

async function readNumber(
  { database, gateway, keyring, clock, stopping }: SyncDeps,
  { organizationId, numberId, until, account }: TakenNumber,
): Promise<void> {
  if (!account?.id) return;
  const accessToken = readableToken(keyring, organizationId, { ...account, id: numberId });
  if (accessToken === null)
    throw new AppError('unavailable', 'The number has no access token that can be read.');
  const templates = await gateway.templates({ id: account.id, accessToken }, stopping);
  await inWorkspace(database, organizationId, (sql) =>
    keep(sql, { organizationId, numberId, until }, templates, clock.now()),
  );
  if (account.provider !== 'cloud_api') return;
  const qualityAt = clock.now();
  const quality = await gateway.quality({ id: account.phoneNumberId, accessToken }, stopping);
  await inWorkspace(database, organizationId, async (sql) => {
    await pinNumber({ sql, organizationId }, numberId);
    await noteSignal(sql, organizationId, numberId, { quality, qualityAt });
  });
}

/** Until when others leave the number alone; null if they have it. */
async function postpone(
  sql: Sql,
  organizationId: string,
  numberId: string,
): Promise<string | null> {
  const row = await first<{ until: string }>(
    sql,
    `insert into template_syncs as s (organization_id, number_id, due_at)
     values ($1, $2, now() + $3 * interval '1 millisecond')
     on conflict (organization_id, number_id) do update set due_at = excluded.due_at
       where s.due_at <= now() returning due_at::text as until`,
    [organizationId, numberId, AGAIN_MS],
  );
  return row?.until ?? null;
}

interface AccountRow {
  readonly id: string | null;
  readonly phoneNumberId: string;
  readonly provider: Provider;
  readonly accessToken: string | null;
}

/** Templates belong to the business account; a sandbox number without an account stands for itself. */
const accountOf = (
  sql: Sql,
  organizationId: string,
  numberId: string,
): Promise<AccountRow | null> =>
  first<AccountRow>(
    sql,
    `select coalesce(business_account_id, case when provider = 'sandbox' then phone_number_id end) as id,
       phone_number_id as "phoneNumberId", provider, access_token as "accessToken"
     from numbers where organization_id = $1 and id = $2 and provider <> 'paired' and phone_number_id is not null`,
    [organizationId, numberId],
  );

/** Keeps nothing if the number was given another account or token meanwhile: then it is taken anew. */
async function keep(
  sql: Sql,
  { organizationId, numberId, until }: DueNumber & { readonly until: string },
  templates: readonly RemoteTemplate[],
  now: Date,
): Promise<void> {
  // Before the rest, as a person's change of the number has it: their templates lock it too, but last.
  await sql.rows('select from numbers where organization_id = $1 and id = $2 for key share', [
    organizationId,
    numberId,
  ]);
  const [own] = await sql.rows(
    `update template_syncs set synced_at = $3
     where organization_id = $1 and number_id = $2 and due_at = $4::timestamptz returning 1`,
    [organizationId, numberId, now, until],
  );
  if (!own) return;
  const kept = JSON.stringify(templates);
  await sql.rows(
    `insert into templates (organization_id, number_id, name, language, category, status, components, synced_at)
     select distinct on (t.name, t.language) $1, $2, t.name, t.language, t.category, t.status, t.components, $4
     from jsonb_to_recordset($3::jsonb) t (name text, language text, category text, status text, components jsonb)
     on conflict (organization_id, number_id, name, language) do update set category = excluded.category,
       status = excluded.status, components = excluded.components, synced_at = excluded.synced_at`,
    [organizationId, numberId, kept, now],
  );
  await sql.rows(
    'delete from templates where organization_id = $1 and number_id = $2 and synced_at < $3',
    [organizationId, numberId, now],
  );
}
