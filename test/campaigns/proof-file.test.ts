import { expect, it } from '@jest/globals';
import { checkProof } from '../../src/campaigns/proof/file.ts';
import { wholeProof } from '../../src/campaigns/proof/proving.ts';
import type { Sql } from '../../src/db/sql.ts';
import { opened } from '../support/opened.ts';
import { detailOf, running, sendAll } from './support/running.ts';
import { openSendingTest, ordinaryPhones } from './support/sending.ts';

const test = opened(openSendingTest);

it('the file of a proof agrees with itself, also when a report comes while it is written', async () => {
  const made = await running(test, ordinaryPhones(3));
  await sendAll(test, made);
  const turn = (from: string, to: string) =>
    test.sqlOf(made, (sql) =>
      sql.rows(
        `update campaign_recipients set status = $2
         where id = (select max(id) from campaign_recipients where status = $1)`,
        [from, to],
      ),
    );
  await turn('sent', 'unconfirmed');
  // As the console reads it, each statement by itself; the report comes once the head was read.
  const rows: Sql['rows'] = async (...statement) => {
    const read = await test.sqlOf(made, (own) => own.rows<never>(...statement));
    if (statement[0].includes('wms.chain')) await turn('unconfirmed', 'delivered');
    return read;
  };
  const written = async function* () {
    const ctx = { ...made.ctx, sql: { rows }, now: new Date() };
    for await (const line of wholeProof(ctx, made.ref.campaignId)) yield JSON.stringify(line);
  };

  const { ending, problems } = await checkProof(written());

  expect(problems).toEqual([]);
  expect(ending.outcomes).toMatchObject({ sent: 2, unconfirmed: 1 });
  expect((await detailOf(test, made)).results).toMatchObject({ sent: 2, delivered: 1 });
});
