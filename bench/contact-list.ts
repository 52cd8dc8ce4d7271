/** (d) A page of 50 contacts out of a million, for each filter alone, at a steady rate. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Context } from '../src/context.ts';
import { type Database, inWorkspace, openDatabase } from '../src/db/database.ts';
import type { Cluster } from './support/cluster.ts';
import { meter } from './support/cpu.ts';
import { type Figure, percentile, report } from './support/report.ts';
import { openWithoutTemporal } from './support/stage.ts';
import { aWorkspace, someKeys } from './support/workspaces.ts';

export interface ContactListSizes {
  readonly contacts: number;
  /** For each filter, at `pace` requests a second. */
  readonly seconds: number;
  readonly pace: number;
}

const CHUNK = 10_000;
const LIMIT_MS = 25;

/**
 * People as they come: few names for many, an e-mail address and a phone of their own, tags that many, few
 * and nearly none have. The oldest 5,000 were changed this minute, against the order of the list.
 */
const FILL = `
insert into contacts (organization_id, id, name, phone, phone_key, email, opted_out, owner_id, tags, origin, created_via, created_at, updated_at)
select $1, 'con_01JD' || lpad(n::text, 22, '0'),
  (array['Ana','Bruno','Carla','Daniel','Elisa','Fábio','Gabriela','Hugo','Inês','João'])[1 + n % 10] || ' ' ||
    (array['Souza','Silva','Santos','Oliveira','Pereira','Lima','Costa','Ribeiro'])[1 + n / 10 % 8] || case when n % 500 = 0 then ' Quintanilha' else '' end,
  '+55119' || (80000000 + n), '+5511' || (80000000 + n), 'person' || n || '@example.com', n % 50 = 0,
  case when n % 10 = 0 then $4 end,
  case when n % 5 = 0 then array['Newsletter'] when n % 1000 = 1 then array['VIP'] when n % 100000 = 7 then array['Rare'] else '{}' end,
  case when n % 10000 = 3 then 'form' when n % 20 = 0 then 'direct' else 'import' end, 'import', now(),
  case when n < 5000 then now() else now() - interval '1 day' - n % 300 * interval '1 day' end
from generate_series($2::int, $3::int) n`;

async function fill(database: Database, ctx: Context, contacts: number): Promise<void> {
  for (let from = 0; from < contacts; from += CHUNK) {
    const upto = Math.min(contacts, from + CHUNK) - 1;
    await inWorkspace(database, ctx.organizationId, async (sql) => {
      const [owner] = await sql.rows<{ id: string }>('select id from members');
      await sql.rows(FILL, [ctx.organizationId, from, upto, owner?.id]);
    });
  }
}

async function prepare(cluster: Cluster, { contacts }: ContactListSizes) {
  const database = await openDatabase({ url: cluster.databaseUrl, poolSize: 2 });
  try {
    const ctx = await aWorkspace(database);
    const keys = await someKeys(ctx, 20);
    const startedAt = performance.now();
    await fill(database, ctx, contacts);
    console.log(
      `${contacts} contacts came in within ${Math.round((performance.now() - startedAt) / 1_000)} s`,
    );
    const owner = await inWorkspace(database, ctx.organizationId, (sql) =>
      sql.rows<{ id: string }>('select id from members'),
    );
    return { keys, ownerId: owner[0]?.id ?? '' };
  } finally {
    await database.close();
  }
}

/** As autovacuum would within minutes. */
async function settle(cluster: Cluster): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: cluster.bareUrl });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}

const today = (): string => new Date().toISOString().slice(0, 10);

const questions = (ownerId: string, contacts: number): Record<string, string> => ({
  'no filter': '',
  'q, nearly everybody': 'q=example',
  'q, one in eight': 'q=souza',
  'q, one in 500': 'q=quintanilha',
  'q, without its accents': 'q=joao%20ribeiro',
  'q, one person': `q=person${contacts - 7_777}@`,
  'q, the end of a phone': `q=${String(80_000_000 + contacts / 2).slice(1)}`,
  'q, nobody': 'q=zzyzx',
  'q, two letters that nobody has': 'q=zq',
  phone: `phone=55119${80_000_000 + contacts / 2}`,
  'phone, nobody': 'phone=5511970000001',
  email: `email=person${contacts / 2}@example.com`,
  'email, nobody': 'email=nobody@example.com',
  'tag, one in five': 'tag=newsletter',
  'tag, one in 1,000': 'tag=vip',
  'tag, ten people': 'tag=rare',
  'tag, nobody': 'tag=none',
  'owner_id, one in ten': `owner_id=${ownerId}`,
  'owner_id, nobody': 'owner_id=mem_01JD0000000000000000000000',
  'opted_out=true, one in 50': 'opted_out=true',
  'opted_out=false': 'opted_out=false',
  'origin=import': 'origin=import',
  'origin=form, one in 10,000': 'origin=form',
  'origin=campaign, nobody': 'origin=campaign',
  'updated_since, everybody': 'updated_since=2020-01-01T00:00:00Z',
  'updated_since, the oldest 5,000': `updated_since=${today()}T00:00:00Z`,
  'updated_since, nobody': 'updated_since=2100-01-01T00:00:00Z',
});

interface Asked {
  readonly what: string;
  readonly times: readonly number[];
}

/** An open loop: a slow answer does not make the next question wait. */
async function ask(pool: Pool, keys: readonly string[], query: string, sizes: ContactListSizes) {
  const count = sizes.pace * sizes.seconds;
  const startedAt = performance.now();
  const answers: Promise<number>[] = [];
  for (let n = 0; n < count; n++) {
    await sleep(Math.max(0, startedAt + (n * 1_000) / sizes.pace - performance.now()));
    answers.push(once(pool, keys[n % keys.length] ?? '', query));
  }
  return Promise.all(answers);
}

async function once(pool: Pool, key: string, query: string): Promise<number> {
  const from = performance.now();
  const answer = await pool.request({
    path: `/api/v1/contacts?limit=50${query && `&${query}`}`,
    method: 'GET',
    headers: { authorization: `Bearer ${key}` },
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${query}: ${answer.statusCode} ${text}`);
  return performance.now() - from;
}

const figures = (asked: readonly Asked[]): Figure[] =>
  asked.flatMap(({ what, times }) => [
    { what: `${what}: p50, ms`, values: [percentile(times, 0.5)], digits: 1 },
    { what: `${what}: p99, ms`, values: [percentile(times, 0.99)], digits: 1, atMost: LIMIT_MS },
  ]);

export async function benchContactList(sizes: ContactListSizes): Promise<boolean> {
  await using closing = new AsyncDisposableStack();
  const { cluster, processes } = await openWithoutTemporal(closing);
  const { keys, ownerId } = await prepare(cluster, sizes);
  await settle(cluster);
  const service = await processes.start('api');
  const pool = new Pool(service.baseUrl, { connections: 16 });
  closing.defer(() => pool.close());
  const asked: Asked[] = [];
  const used = meter([
    { name: 'server', pid: service.pid },
    { name: 'postgres', pid: cluster.postgresPid, children: true },
  ]);
  for (const [what, query] of Object.entries(questions(ownerId, sizes.contacts))) {
    await ask(pool, keys, query, { ...sizes, seconds: 1 });
    asked.push({ what, times: await ask(pool, keys, query, sizes) });
  }
  return report(
    `(d) GET /api/v1/contacts?limit=50 of ${sizes.contacts} contacts, ${sizes.pace} requests/s, ` +
      `${sizes.seconds} s for each filter, 20 keys with the limiter on`,
    figures(asked),
    [used().elsewhere],
  );
}
