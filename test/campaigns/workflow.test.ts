import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Actor } from '../../src/access/actor.ts';
import { updateCampaign } from '../../src/campaigns/service.ts';
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  sendCampaign,
} from '../../src/campaigns/states/transitions.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { reactions } from '../../src/relay/reactions.ts';
import { setPlan } from '../../src/workspaces/service.ts';
import { devServer } from '../support/env.ts';
import { aSegment } from '../support/factories/segments.ts';
import { keepHistory } from '../support/histories.ts';
import { rowsOf } from '../support/rows-of.ts';
import { eventually } from '../support/waiting.ts';
import { acceptedBy, another, detailOf, drafted, type Made } from './support/running.ts';
import { openSendingTest, ordinaryPhones, type SendingTest } from './support/sending.ts';
import { type CampaignWorker, connectTo, runCampaignWorker } from './support/worker.ts';

let test: SendingTest;
let temporal: Awaited<ReturnType<typeof connectTo>>;
let worker: CampaignWorker;

beforeAll(async () => {
  test = await openSendingTest();
  temporal = await connectTo(devServer().address);
  worker = await runCampaignWorker({ ...temporal, deps: test.deps });
});
afterAll(async () => {
  await worker.stop();
  await temporal.close();
  await test.close();
});
beforeEach(() => test.faults({}));

/** Sent and its workflow started, as the relay does on `campaign.started`. */
async function started(made: Made) {
  await sendCampaign(made.ctx, made.ref.campaignId);
  return worker.start(made.ref);
}

/** What operators list it by. */
const stageOf = async (handle: Awaited<ReturnType<typeof started>>): Promise<unknown> =>
  (await handle.describe()).searchAttributes['WmsStage']?.[0];

/** A campaign to 700 people, most of them still to come, however long it takes to stop it. */
async function underWay() {
  await test.faults({ latency_ms: 400 });
  const made = await drafted(test, ordinaryPhones(700));
  const handle = await started(made);
  await eventually(() => acceptedBy(test, made).length > 50);
  await test.faults({ latency_ms: 3_000 });
  return { made, handle };
}

describe('the workflow of a campaign', () => {
  it('freezes, sends to everybody once and ends', async () => {
    const made = await drafted(test, ordinaryPhones(600));

    const handle = await started(made);
    await handle.result();

    expect(await detailOf(test, made)).toMatchObject({
      status: 'done',
      audience: { status: 'frozen', eligible: 600 },
      results: { sent: 600 },
    });
    expect(acceptedBy(test, made)).toHaveLength(600);
    await keepHistory(handle, 'send-campaign-done');
  });

  it('sends to nobody when its rules turn out to reach more than the plan’s month has left', async () => {
    const made = await drafted(test, ordinaryPhones(2));
    const { ctx, ref, contactIds } = made;
    const changed = (text: string, params: unknown[]) => rowsOf(ctx, text, params);
    const named = 'update contacts set name = $1 where id = $2';
    const earlier = await another(made, contactIds);
    await changed(
      `update campaigns set status = 'done', total = 2999, started_at = now(), frozen_at = now() where id = $1`,
      [earlier.ref.campaignId],
    );
    await setPlan(ctx, 'essencial');
    const rules = { field: 'name', op: 'starts_with', value: 'Cliente' } as const;
    const { id: segment_id } = await aSegment(ctx, { rules });
    await updateCampaign(ctx, ref.campaignId, { target: 'segment', segment_id });
    await changed(named, ['Outra', contactIds[1]]);
    await sendCampaign(ctx, ref.campaignId);
    await changed(named, ['Cliente 2', contactIds[1]]);

    const handle = await worker.start(ref);
    await eventually(async () => (await detailOf(test, made)).status !== 'sending');

    expect(await detailOf(test, made)).toMatchObject({
      status: 'paused',
      pause_reason: 'quota',
      results: { pending: 2 },
    });
    await cancelCampaign(ctx, ref.campaignId);
    await handle.signal('wake');
    await handle.result();
    expect(acceptedBy(test, made)).toEqual([]);
  });

  it('names to operators who began it, by an id', async () => {
    const made = await drafted(test, ordinaryPhones(1));
    const actor = { ...made.ctx.actor, id: 'mem_01' } as Actor;
    await sendCampaign({ ...made.ctx, actor }, made.ref.campaignId);

    const [fact] = await inWorkspace(test.database, made.ref.organizationId, (sql) =>
      sql.rows<{ payload: string }>("select payload from facts where type = 'campaign.started'"),
    );
    const begun = reactions['campaign.started'](
      made.ref.organizationId,
      JSON.parse(fact?.payload ?? ''),
    );

    expect(begun).toMatchObject({ details: expect.stringContaining('Begun by `mem_01`.') });
  });

  it('sends nothing more once a pause was answered, and goes on with the rest when resumed', async () => {
    const { made, handle } = await underWay();

    await pauseCampaign(made.ctx, made.ref.campaignId);
    const atThePause = acceptedBy(test, made).length;
    await test.faults({});
    await handle.signal('wake');
    await eventually(async () => (await detailOf(test, made)).results.sending === 0);
    const afterThePause = acceptedBy(test, made).length;
    expect(afterThePause - atThePause).toBeLessThanOrEqual(96);
    expect(afterThePause).toBeLessThan(700);
    await resumeCampaign(made.ctx, made.ref.campaignId);
    await handle.signal('wake');
    await handle.result();

    expect(await detailOf(test, made)).toMatchObject({ status: 'done', results: { sent: 700 } });
    expect(new Set(acceptedBy(test, made).map(({ to }) => to)).size).toBe(700);
    expect(acceptedBy(test, made)).toHaveLength(700);
    await keepHistory(handle, 'send-campaign-paused');
  });

  it('cancelled by an operator starts no new send, settles those in flight and keeps the results', async () => {
    const { made, handle } = await underWay();

    await handle.cancel();
    await eventually(async () => (await detailOf(test, made)).status === 'cancelled');
    await test.faults({});
    await expect(handle.result()).rejects.toThrow(/cancel/i);

    expect(await stageOf(handle)).toBe('cancelled');
    const detail = await detailOf(test, made);
    const accepted = acceptedBy(test, made).length;
    expect(detail).toMatchObject({ status: 'cancelled', results: { sending: 0, pending: 0 } });
    expect(detail.results.sent).toBe(accepted);
    expect(detail.results.cancelled).toBe(700 - accepted);
    expect(accepted).toBeLessThan(700);
    await keepHistory(handle, 'send-campaign-cancelled-by-operator');
  });

  it('ends when the campaign is cancelled over the API', async () => {
    const made = await drafted(test, ordinaryPhones(40), { campaign: { pace: 60 } });
    const handle = await started(made);
    await eventually(() => acceptedBy(test, made).length > 0);

    await cancelCampaign(made.ctx, made.ref.campaignId);
    await handle.signal('wake');
    await handle.result();

    expect(await stageOf(handle)).toBe('cancelled');
    const { results } = await detailOf(test, made);
    expect(results.sent).toBe(acceptedBy(test, made).length);
    expect(results.cancelled).toBe(40 - results.sent);
  });

  it('tells the operator the stage, in words and without personal data', async () => {
    const made = await drafted(test, ordinaryPhones(5));

    const handle = await started(made);
    await handle.result();

    expect(await stageOf(handle)).toBe('done');
    const { historyLength } = await handle.describe();
    expect(historyLength).toBeLessThan(60);
    const { events } = await handle.fetchHistory();
    const readable = JSON.stringify(events).replace(/"data":"([\w+/=]+)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString(),
    );
    expect(readable).toContain(made.ref.organizationId);
    expect(readable).not.toMatch(/Cliente|5511982|Oi /);
  });
});
