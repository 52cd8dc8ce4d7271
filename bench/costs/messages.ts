/** (x) Reading and sending, by how many messages a workspace already has. */
import pg from 'pg';
import { createApiKey } from '../../src/api-keys/service.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { DAY_MS } from '../../src/durations.ts';
import { newIdAt } from '../../src/ids.ts';
import { aCampaign, aShop, type CampaignStage } from '../campaign.ts';
import { timesOf } from '../support/asking.ts';
import { cpuOf, meter } from '../support/cpu.ts';
import { percentile, printTable, printTitle, seen, written } from '../support/report.ts';
import { apiAndWorker, onBenchStage } from '../support/stage.ts';
import { sendAll } from './workspaces.ts';

export interface MessageGrowthSizes {
  /** How many there are, one time after the other; the smallest first. */
  readonly messages: readonly number[];
  readonly recipients: number;
  /** Of each kind of page, one after another. */
  readonly requests: number;
}

const DAYS = 90;
/** Of one statement; they share a moment. */
const PAGE = 20_000;
const CONVERSATIONS = 100_000;
const OF_ONE = 10;

const PEOPLE = `
with people as (
  insert into contacts (organization_id, id, name, origin, created_via, created_at, updated_at)
  select $1, 'con_' || $2 || lpad(n::text, 16, '0'), 'Pessoa ' || n, 'direct', 'import', $3, $3
  from generate_series($4::int, $5::int) n)
insert into conversations (organization_id, id, number_id, contact_id, opened_at, created_at, last_message_at)
select $1, 'cnv_' || $2 || lpad(n::text, 16, '0'), $6, 'con_' || $2 || lpad(n::text, 16, '0'), $3, $3, $3 + n * interval '1 second'
from generate_series($4::int, $5::int) n`;

const MESSAGES = `
insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status, source,
  provider_id, sent_at, delivered_at, created_at)
select $1, 'msg_' || $2 || lpad(n::text, 16, '0'), 'cnv_' || $3 || lpad(who::text, 16, '0'), $4,
  'con_' || $3 || lpad(who::text, 16, '0'), case when n % 4 = 0 then 'inbound' else 'outbound' end, 'text',
  'Olá! A sua encomenda já está pronta para ser retirada na loja do centro.',
  case when n % 4 = 0 then 'received' else 'delivered' end, case when n % 4 = 0 then 'contact' else 'campaign' end,
  'wamid.' || n, $5, $5, $5
from (select n, n / ${OF_ONE} % $8::int as who from generate_series($6::int, $7::int) n) m`;

/** The part of an id that says when. */
const moment = (at: Date): string => newIdAt('msg', at).slice(4, 14);

interface Filled {
  readonly organizationId: string;
  readonly numberId: string;
  /** In which conversation ids say when. */
  readonly begun: string;
}

/** Straight into the tables, without the triggers and keys that would look at each row. */
async function fill(client: pg.Client, shop: Filled, from: number, upto: number): Promise<void> {
  const { organizationId, numberId, begun } = shop;
  const begin = Date.now() - DAYS * DAY_MS;
  const had = Math.min(CONVERSATIONS, from / OF_ONE);
  const people = Math.min(CONVERSATIONS, upto / OF_ONE);
  await client.query("set session_replication_role = 'replica'; set synchronous_commit = off");
  for (let at = had; at < people; at += PAGE) {
    const last = Math.min(people, at + PAGE) - 1;
    await client.query(PEOPLE, [organizationId, begun, new Date(begin), at, last, numberId]);
  }
  for (let at = from; at < upto; at += PAGE) {
    const last = Math.min(upto, at + PAGE) - 1;
    const time = new Date(begin + ((at - from) / (upto - from)) * DAYS * DAY_MS);
    const place = [organizationId, moment(time), begun, numberId, time];
    await client.query(MESSAGES, [...place, at, last, people]);
  }
  await client.query("set session_replication_role = 'origin'; set synchronous_commit = on");
  await client.query('vacuum analyze messages, conversations, contacts');
}

const both = (times: readonly number[]): string =>
  `${written(percentile(times, 0.5), 1)}; ${written(percentile(times, 0.99), 1)}`;

type Shop = Awaited<ReturnType<typeof aShop>>;

async function measured(
  stage: CampaignStage,
  client: pg.Client,
  shop: Shop & Filled & { readonly key: string },
  { recipients, requests }: MessageGrowthSizes,
): Promise<string[]> {
  const conversations = `http://127.0.0.1:${stage.processes.apiPort}/api/v1/conversations`;
  const one = `cnv_${shop.begun}${'7'.padStart(16, '0')}`;
  await timesOf(conversations, shop.key, 10);
  const used = meter(stage.watched);
  const lists = await timesOf(`${conversations}?limit=50`, shop.key, requests);
  const talks = await timesOf(`${conversations}/${one}/messages?limit=50`, shop.key, requests);
  const reading = cpuOf(used(), ['api', 'postgres']);
  const sent = await sendAll(stage, [await aCampaign(shop)]);
  const { rows } = await client.query<{ size: string }>(
    "select pg_total_relation_size('messages') as size",
  );
  return [
    both(lists),
    both(talks),
    written((reading / requests / 2) * 1_000, 2),
    written(recipients / sent.seconds, 0),
    written((cpuOf(sent.usage, ['api', 'worker', 'postgres']) / recipients) * 1_000, 3),
    written(Number(rows[0]?.size) / 1e6, 0),
  ];
}

/** Throws when a page is refused or a recipient is lost. */
export const benchMessageGrowth = (sizes: MessageGrowthSizes): Promise<boolean> =>
  onBenchStage(async (scene) => {
    const keyring = createKeyring(scene.processes.encryptionKeys);
    const stage = { ...scene, keyring, watched: await apiAndWorker(scene) };
    const shop = await aShop(stage, sizes.recipients);
    const { organizationId } = shop.ctx;
    const { key } = await createApiKey(shop.ctx, {
      name: 'Bench',
      scopes: ['conversations:read', 'messages:read'],
      lifetime: 'never',
    });
    const begun = moment(new Date(Date.now() - DAYS * DAY_MS));
    const filled = { organizationId, numberId: shop.number.id, begun };
    const client = new pg.Client({ connectionString: scene.cluster.bareUrl });
    await client.connect();
    await sendAll(stage, [await aCampaign(shop)]);
    const rows: string[][] = [];
    let had = 0;
    for (const messages of sizes.messages) {
      const startedAt = performance.now();
      await fill(client, filled, had, messages);
      const seconds = (performance.now() - startedAt) / 1_000;
      console.log(`${messages - had} messages came in within ${written(seconds, 0)} s`);
      had = messages;
      const figures = await measured(stage, client, { ...shop, ...filled, key }, sizes);
      rows.push(seen([written(messages, 0), ...figures]));
    }
    await client.end();
    printTitle(
      `(x) a workspace with messages over ${DAYS} days; ${sizes.requests} pages of each kind, one after another, then a campaign of ${sizes.recipients}, answers at once`,
      [],
    );
    printTable([
      [
        'messages',
        'conversations, p50; p99, ms',
        'messages of one, p50; p99, ms',
        'CPU s per 1,000 pages',
        'campaign, messages/s',
        'CPU s per 1,000',
        'table, MB',
      ],
      ...rows,
    ]);
    return true;
  });
