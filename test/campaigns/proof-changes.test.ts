import fs from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Outcome } from '../../src/campaigns/proof/chain.ts';
import { proveCampaign } from '../../src/campaigns/proof/proving.ts';
import type { ProofView } from '../../src/campaigns/proof/schema.ts';
import { REPORTED_STATUSES, type ReportedStatus } from '../../src/conversations/rules.ts';
import { openTestDatabase } from '../support/database.ts';
import { aStatusWebhook, type InboundStage, openInboundStage } from '../support/inbound.ts';
import { type Made, running, sendAll } from './support/running.ts';
import { openSendingTest, ordinaryPhones, type SendingTest } from './support/sending.ts';

let stage: InboundStage;
let test: SendingTest;
beforeAll(async () => {
  stage = await openInboundStage();
  test = await openSendingTest({ store: { ...stage.database, copy: openTestDatabase } });
});
afterAll(async () => {
  await test?.close();
  await stage?.close();
});

const proof = (made: Made): Promise<ProofView> =>
  test.sqlOf(made, (sql) =>
    proveCampaign({ ...made.ctx, sql, now: new Date() }, made.ref.campaignId, {
      after: null,
      limit: 100,
    }),
  );

/** The table of the guide: what each outcome may become. */
function changesOfGuide(): ReadonlyMap<string, readonly string[]> {
  const guide = fs.readFileSync(new URL('../../docs/proof.md', import.meta.url), 'utf8');
  const rows = guide.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm);
  return new Map(
    [...rows].map(([, from = '', to = '']) => [from, [...to.matchAll(/\w+/g)].map(String).sort()]),
  );
}

const KINDS = ['sent', 'delivered', 'failed', 'unconfirmed'] as const;
/** Each report that may still come, for a line of each kind; in the order of the lines. */
const LATE = KINDS.flatMap((kind) => REPORTED_STATUSES.map((status) => ({ kind, status })));

/** A campaign that is over, and what tells WhatsApp's door the status of the message of a line. */
async function over() {
  const made = await running(test, ordinaryPhones(LATE.length));
  await sendAll(test, made);
  const messages = await test.sqlOf(made, (sql) =>
    sql.rows<{ id: string; wamid: string }>(
      `select m.id, m.provider_id as wamid from campaign_recipients r join messages m on m.id = r.message_id
       order by r.id`,
    ),
  );
  const report = async (line: number, status: ReportedStatus): Promise<void> => {
    const { id = '', wamid = '' } = messages[line] ?? {};
    const lost = status === 'failed' ? { code: 131_026 } : {};
    const about = [{ id: wamid, key: id, status, ...lost }];
    expect((await stage.post(aStatusWebhook(made.phoneNumberId, about))).status).toBe(200);
    await stage.process();
  };
  for (const [line, { kind }] of LATE.entries())
    if (kind === 'delivered' || kind === 'failed') await report(line, kind);
  const unanswered = messages.filter((_, line) => LATE[line]?.kind === 'unconfirmed');
  const ids = unanswered.map(({ id }) => id);
  await test.sqlOf(made, async (sql) => {
    await sql.rows(`update messages set status = 'unconfirmed' where id = any($1)`, [ids]);
    await sql.rows(
      `update campaign_recipients set status = 'unconfirmed' where message_id = any($1)`,
      [ids],
    );
  });
  return { made, report };
}

it('a proof changes by late reports as its guide says, and in no other way', async () => {
  const { made, report } = await over();
  const changes = new Map<Outcome, Set<Outcome>>();

  for (const [line, { status }] of LATE.entries()) {
    const before = await proof(made);
    await report(line, status);
    const after = await proof(made);

    const was = before.lines[line];
    const is = after.lines[line];
    if (!was || !is) throw new TypeError('no line');
    expect(is.message_id).toBe(was.message_id);
    if (was.outcome !== 'unconfirmed') expect(is.settled_at).toBe(was.settled_at);
    expect([line, status, after.head === before.head]).toEqual([
      line,
      status,
      is.outcome === was.outcome,
    ]);
    if (is.outcome !== was.outcome)
      changes.set(was.outcome, (changes.get(was.outcome) ?? new Set()).add(is.outcome));
  }

  expect(new Map([...changes].map(([from, to]) => [from, [...to].sort()]))).toEqual(
    changesOfGuide(),
  );
});
