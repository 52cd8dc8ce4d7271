import { describe, expect, it } from '@jest/globals';
import { advance } from '../../src/campaigns/batches/progress.ts';
import { exampleProof } from '../../src/campaigns/examples.ts';
import {
  type ChainedLine,
  noOutcomes,
  type ProofBeginning,
} from '../../src/campaigns/proof/chain.ts';
import { createProofCheck } from '../../src/campaigns/proof/check.ts';
import { proveCampaign } from '../../src/campaigns/proof/proving.ts';
import type { ProofView } from '../../src/campaigns/proof/schema.ts';
import { cancelCampaign, sendCampaign } from '../../src/campaigns/states/transitions.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { verifiedByGuide } from './support/guide.ts';
import {
  detailOf,
  drafted,
  freeze,
  type Made,
  running,
  sendAll,
  startedAgain,
} from './support/running.ts';
import { openSendingTest, ordinaryPhones } from './support/sending.ts';

const test = opened(openSendingTest);

const proof = ({ ctx, ref }: Made, after: string | null = null, limit = 100): Promise<ProofView> =>
  inWorkspace(test.database, ref.organizationId, (sql) =>
    proveCampaign({ ...ctx, sql, now: new Date() }, ref.campaignId, { after, limit }),
  );

/** Done: twelve people, of whom one was refused at once and one wants no messages. */
async function done(): Promise<Made> {
  const made = await drafted(test, [...ordinaryPhones(11), '+5511970131026']);
  await rowsOf(made.ctx, `update contacts set opted_out = true where phone like '%000003'`);
  await sendCampaign(made.ctx, made.ref.campaignId);
  await freeze(test, made);
  await sendAll(test, made);
  return made;
}

/** As whoever has the file of it checks it: the first line is that of the audience. */
function problemsOf(beginning: ProofBeginning, lines: readonly ChainedLine[], head: string) {
  const check = createProofCheck(beginning);
  for (const [i, line] of lines.entries()) check.add(line, i + 2);
  const outcomes = noOutcomes();
  for (const { outcome } of lines) outcomes[outcome] += 1;
  return check.end({ head, outcomes }).map(({ line, rule }) => [line, rule]);
}

describe('the proof of a campaign', () => {
  it('has one line for each recipient, adds up with the frozen audience, and is verified', async () => {
    const made = await done();

    const { lines, head, next_after, ...beginning } = await proof(made);

    const { audience, results } = await detailOf(test, made);
    expect(beginning).toEqual({
      campaign_id: made.ref.campaignId,
      total: audience.total,
      eligible: audience.eligible,
      excluded: audience.excluded,
      frozen_at: audience.frozen_at,
    });
    expect([next_after, lines.length]).toEqual([null, 11]);
    expect(lines.filter(({ outcome }) => outcome === 'sent')).toHaveLength(results.sent);
    expect(lines.filter(({ outcome }) => outcome === 'failed')).toHaveLength(results.failed);
    expect(problemsOf(beginning, lines, head)).toEqual([]);
  });

  it('is verified by the code of the guide, and not where anything differs', async () => {
    const made = await done();
    const pages = [await proof(made, null, 6)];
    pages.push(await proof(made, pages[0]?.next_after, 6));
    const [first, last] = pages as [ProofView, ProofView];
    const spoilt = [
      [{ ...first, frozen_at: null }, last],
      [{ ...first, head: '0'.repeat(64) }, last],
      [{ ...first, lines: first.lines.toReversed() }, last],
      [first],
    ];

    expect(verifiedByGuide([pages, ...spoilt, [exampleProof]])).toEqual([
      first.head,
      expect.stringContaining('does not follow'),
      'The lines do not lead to the head.',
      expect.stringContaining('does not follow'),
      'The counts do not add up.',
      exampleProof.head,
    ]);
  });

  it('is the same page by page, chained in the database and here', async () => {
    const made = await done();
    const whole = await proof(made);

    const pages: ProofView[] = [];
    let after: string | null = null;
    do {
      const page: ProofView = await proof(made, after, 4);
      pages.push(page);
      after = page.next_after;
    } while (after !== null);

    expect(pages.map(({ lines }) => lines.length)).toEqual([4, 4, 3]);
    expect(pages.flatMap(({ lines }) => lines)).toEqual(whole.lines);
    expect(pages.map(({ head }) => head)).toEqual(pages.map(() => whole.head));
  });

  it('goes on from no line but one of its own', async () => {
    const made = await done();
    const other = await done();
    const [, foreign] = (await proof(other)).lines;

    for (const after of ['rcp_0', 'rcp_zzz', foreign?.recipient_id ?? ''])
      await expect(proof(made, after)).rejects.toMatchObject({
        code: 'invalid_cursor',
        details: { path: 'after' },
      });
  });

  it('does not age with receipts, and breaks with any row that is changed, gone or added', async () => {
    const made = await done();
    const { lines, head, next_after: _, ...beginning } = await proof(made);
    const headAfter = async (text: string): Promise<string> => {
      await rowsOf(made.ctx, text);
      return (await proof(made)).head;
    };
    const one = '(select min(id) from campaign_recipients)';

    expect(
      await headAfter(`update campaign_recipients set status = 'read' where status = 'sent'`),
    ).toBe(head);
    const heads = [
      await headAfter(`update campaign_recipients set reason = 'policy' where id = ${one}`),
      await headAfter(`update campaign_recipients set status = 'failed' where id = ${one}`),
      await headAfter(`update campaign_recipients set message_id = 'msg_x' where id = ${one}`),
      await headAfter(`delete from campaign_recipients where id = ${one}`),
      await headAfter(`update campaigns set total = total + 1`),
    ];
    expect(new Set([head, ...heads]).size).toBe(6);

    const { excluded } = beginning;
    const [first, second, third, ...others] = lines;
    if (!first || !second || !third) throw new TypeError('no lines');
    const forged = { ...second, outcome: 'failed' as const };
    expect(problemsOf(beginning, [first, forged, third, ...others], head)).toEqual([[3, 'chain']]);
    expect(problemsOf(beginning, [first, third, ...others], head)).toEqual([
      [3, 'chain'],
      [null, 'count'],
    ]);
    expect(problemsOf(beginning, [first, third, second, ...others], head)).toEqual([
      [3, 'chain'],
      [4, 'order'],
      [5, 'chain'],
    ]);
    expect(problemsOf(beginning, [first, first, second, third, ...others], head)).toEqual([
      [3, 'order'],
      [null, 'count'],
    ]);
    expect(problemsOf(beginning, lines.slice(0, -1), head)).toEqual([
      [null, 'count'],
      [null, 'head'],
    ]);
    expect(problemsOf({ ...beginning, total: 13 }, lines, head)).toEqual([
      [2, 'chain'],
      [null, 'audience'],
    ]);
    const other = { ...excluded, opted_out: 0, blocked: 1 };
    expect(problemsOf({ ...beginning, excluded: other }, lines, head)).toEqual([[2, 'chain']]);
  });

  it('is there for campaigns that are over, and no others', async () => {
    const made = await running(test, ordinaryPhones(3));

    await expect(proof(made)).rejects.toMatchObject({
      code: 'invalid_state',
      details: { status: 'sending', allowed: ['done', 'cancelled'] },
    });
    const begun = await drafted(test, ordinaryPhones(1));
    await sendCampaign(begun.ctx, begun.ref.campaignId);
    await expect(proof(begun)).rejects.toMatchObject({ code: 'invalid_state' });
    await cancelCampaign(made.ctx, made.ref.campaignId);

    const { lines, head, next_after: _, ...beginning } = await proof(made);
    expect(lines.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(problemsOf(beginning, lines, head)).toEqual([]);
  });

  it('is there only once the sends that a cancellation met are settled, also those of a worker that died', async () => {
    const made = await running(test, ordinaryPhones(3));
    const claimed = (claimedAt: string): Promise<unknown> =>
      rowsOf(
        made.ctx,
        `update campaign_recipients set status = 'sending', claimed_at = ${claimedAt}, message_id = 'msg_' || message_key
         where id = (select min(id) from campaign_recipients)`,
      );
    await claimed('now()');
    await cancelCampaign(made.ctx, made.ref.campaignId);

    await expect(proof(made)).rejects.toMatchObject({
      code: 'invalid_state',
      message: 'Its last sends are still being settled. Ask again in a moment.',
      details: { status: 'cancelled', allowed: ['done', 'cancelled'], unsettled: 1 },
    });
    const underWay = await advance(test.deps, made.ref);
    await claimed(`now() - interval '16 seconds'`);
    const over = await advance(test.deps, made.ref);

    const { lines, head, next_after: _, ...beginning } = await proof(made);
    expect([underWay.waitMs > 0, over.waitMs]).toEqual([true, 0]);
    expect(lines.map(({ outcome }) => outcome)).toEqual(['unconfirmed', 'cancelled', 'cancelled']);
    expect(problemsOf(beginning, lines, head)).toEqual([]);
  });

  it('comes also when the workflow that would settle them is lost: it is started again until they are settled', async () => {
    const made = await running(test, ordinaryPhones(3));
    await rowsOf(
      made.ctx,
      `update campaign_recipients set status = 'sending', claimed_at = now() - interval '21 seconds',
         message_id = 'msg_' || message_key
       where id = (select min(id) from campaign_recipients)`,
    );
    await cancelCampaign(made.ctx, made.ref.campaignId);
    await rowsOf(made.ctx, `update campaigns set finished_at = now() - interval '21 seconds'`);

    const lost = await startedAgain(test, made);
    await advance(test.deps, made.ref);

    expect([lost, await startedAgain(test, made)]).toEqual([true, false]);
    const { lines } = await proof(made);
    expect(lines.map(({ outcome }) => outcome)).toEqual(['unconfirmed', 'cancelled', 'cancelled']);
  });
});
