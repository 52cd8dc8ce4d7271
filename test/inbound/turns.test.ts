import { beforeEach, describe, expect, it } from '@jest/globals';
import { asSystem } from '../../src/db/database.ts';
import { claimWebhooks } from '../../src/inbound/queries.ts';
import { aMessageWebhook, aStatusWebhook, openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsRead } from '../support/rows-read.ts';

const BUSY = '1001';
const QUIET = '1002';
const STORM = 3_000;

const stage = opened(openInboundStage);

beforeEach(() => stage.owner('truncate inbound_webhooks'));

/** As many as a campaign, or what it is answered, brings within minutes. */
const storm = (webhook: object): Promise<unknown> =>
  stage.database.system.query(
    `insert into inbound_webhooks (sha256, body)
     select sha256(n::text::bytea), $1 from generate_series(1, $2::int) n`,
    [JSON.stringify(webhook), STORM],
  );

const said = (text: string) => aMessageWebhook(BUSY, { id: `wamid.${text}`, text });
const reported = aStatusWebhook(BUSY, [{ id: 'wamid.r', status: 'read', key: 'r' }]);
const answer = said('answer');
const elsewhere = aMessageWebhook(QUIET, { id: 'wamid.elsewhere', text: 'elsewhere' });

const claimed = async (): Promise<string[]> =>
  asSystem(stage.database, async (sql) => (await claimWebhooks(sql)).map(({ body }) => body));

const ofBody = (webhook: object) => expect.arrayContaining([JSON.stringify(webhook)]);

describe('a message to one number, behind thousands of another', () => {
  it.each([
    ['messages', said('storm')],
    ['reports', reported],
  ])('is in the first batch, when those are %s', async (_, webhook) => {
    await storm(webhook);
    await stage.post(elsewhere);

    const batch = await claimed();

    expect(batch).toEqual(ofBody(elsewhere));
  });

  it('that comes later waits for few of them: a batch has no more than fifty', async () => {
    await storm(said('storm'));

    expect(await claimed()).toHaveLength(50);
  });

  it('is taken while another worker has that number in hand', async () => {
    await storm(said('storm'));
    await stage.post(elsewhere);

    const batch = await asSystem(stage.database, async (sql) => {
      await sql.rows("select pg_advisory_xact_lock(hashtextextended('1001', 30))");
      return claimed();
    });

    expect(batch).toEqual([JSON.stringify(elsewhere)]);
  });

  it('is found without reading all of those, by a plan from before they came', async () => {
    await stage.post(elsewhere);
    await claimed();
    await storm(said('storm'));

    const read = await asSystem(stage.database, async (sql) => {
      const before = await rowsRead(sql, ['inbound_webhooks']);
      await claimWebhooks(sql);
      return (await rowsRead(sql, ['inbound_webhooks'])) - before;
    });

    expect(read).toBeLessThan(2_000);
  });
});

describe('what people wrote to a number, behind thousands of its reports', () => {
  it('is in the first batch, and so are reports', async () => {
    await storm(reported);
    await stage.post(answer);

    const batch = await claimed();

    expect(batch).toHaveLength(200);
    expect(batch).toEqual(ofBody(answer));
  });

  it('leaves room for them in each batch', async () => {
    await storm(said('storm'));
    for (let n = 0; n < 60; n++)
      await stage.post(aStatusWebhook(BUSY, [{ id: `wamid.${n}`, status: 'read', key: `${n}` }]));

    const reports = (await claimed()).filter((body) => body.includes('"statuses"'));

    expect(reports).toHaveLength(60);
  });
});

describe('reports of one number', () => {
  it('are with several workers at once', async () => {
    await storm(reported);

    const batches = await asSystem(stage.database, async (sql) => [
      (await claimWebhooks(sql)).length,
      (await claimed()).length,
    ]);

    expect(batches).toEqual([200, 200]);
  });
});
