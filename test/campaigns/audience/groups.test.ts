import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { claimGroups } from '../../../src/campaigns/batches/group-claims.ts';
import { settle } from '../../../src/campaigns/batches/settling.ts';
import { retryCampaign } from '../../../src/campaigns/states/retrying.ts';
import { cancelCampaign, sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import type { Gateway, OutgoingMessage } from '../../../src/gateway/port.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { opened } from '../../support/opened.ts';
import { aGroupOf } from '../support/groups.ts';
import { detailOf, drafted, freeze, type Made, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

/** Takes everything, and keeps what came and when. */
function aWayOut(): { gateway: Gateway; sent: (OutgoingMessage & { at: number })[] } {
  const sent: (OutgoingMessage & { at: number })[] = [];
  const gateway: Gateway = {
    ...test.deps.gateway,
    send: async (message) => {
      sent.push({ ...message, at: Date.now() });
      return { kind: 'accepted', providerId: `wamid.${message.correlation}` };
    },
  };
  return { gateway, sent };
}

async function toGroups(
  wishes: readonly { name?: string; left?: boolean }[],
): Promise<Made & { groups: Awaited<ReturnType<typeof aGroupOf>>[] }> {
  const made = await drafted(test, ordinaryPhones(1));
  const groups = [];
  for (const wish of wishes) groups.push(await aGroupOf(made.ctx, made.numberId, wish));
  const campaign = await aCampaign(made.ctx, {
    number_id: made.numberId,
    target: 'groups',
    contact_ids: [],
    group_ids: [...groups.map(({ id }) => id), groups[0]?.id ?? ''],
    text: 'Oi {{name}}!',
    pace: 10,
  });
  return { ...made, groups, ref: { ...made.ref, campaignId: campaign.id } };
}

const rowsOf = (made: Made, text: string): Promise<Record<string, unknown>[]> =>
  inWorkspace(test.database, made.ref.organizationId, (sql) => sql.rows(text));

describe('a campaign to groups', () => {
  it('sends one message to each group the number is in, six seconds apart, and none as an event', async () => {
    const made = await toGroups([{ name: 'Alunos' }, { left: true }, { name: 'Pais' }]);
    await sendCampaign(made.ctx, made.ref.campaignId);
    await freeze(test, made);
    const { gateway, sent } = aWayOut();

    const begun = Date.now();
    await sendAll(test, made, test.through(gateway));

    expect(sent.map(({ to, toKind, text }) => ({ to, toKind, text }))).toEqual([
      { to: made.groups[0]?.providerId, toKind: 'group', text: 'Oi Alunos!' },
      { to: made.groups[2]?.providerId, toKind: 'group', text: 'Oi Pais!' },
    ]);
    expect((sent[1]?.at ?? 0) - begun).toBeGreaterThanOrEqual(5_900);
    expect(await detailOf(test, made)).toMatchObject({
      status: 'done',
      effective_pace: 10,
      audience: { total: 4, eligible: 2, excluded: { left_group: 1, duplicate: 1 } },
      results: { sent: 2 },
    });
    expect(
      await rowsOf(made, 'select group_id, contact_id, phone from campaign_recipients order by id'),
    ).toEqual([
      { group_id: made.groups[0]?.id, contact_id: null, phone: '' },
      { group_id: made.groups[2]?.id, contact_id: null, phone: '' },
    ]);
    const messages = await rowsOf(
      made,
      `select conversation_id, status, source from messages order by id`,
    );
    expect(messages).toEqual(
      [made.groups[0], made.groups[2]].map((group) => ({
        conversation_id: group?.conversationId,
        status: 'sent',
        source: 'campaign',
      })),
    );
    expect(await rowsOf(made, `select 1 from facts where type = 'message.sent'`)).toEqual([]);
  });

  it('skips a group that was left since', async () => {
    const made = await toGroups([{}]);
    await sendCampaign(made.ctx, made.ref.campaignId);
    await freeze(test, made);
    await rowsOf(made, 'update groups set left_at = now()');
    const { gateway, sent } = aWayOut();

    await sendAll(test, made, test.through(gateway));

    expect(sent).toEqual([]);
    expect(await detailOf(test, made)).toMatchObject({
      status: 'done',
      results: { skipped: 1, reasons: { no_recipient: 1 } },
    });
  });

  it('keeps no message of a group under way that it gave back before it was sent', async () => {
    const made = await toGroups([{}, {}]);
    await sendCampaign(made.ctx, made.ref.campaignId);
    await freeze(test, made);
    const request = { ...made.ref, numberId: made.numberId, token: randomUUID(), now: new Date() };
    await inWorkspace(test.database, made.ref.organizationId, async (sql) => {
      const { claimed } = await claimGroups(sql, {
        ...request,
        window24h: false,
        limitsRevision: 0,
        limit: 2,
      });
      const back = claimed.map(
        (row) => ({ status: 'pending', row, called: false, counted: false, delayMs: 0 }) as const,
      );
      await settle(sql, request, back);
    });
    expect(await rowsOf(made, 'select status from messages')).toEqual([
      { status: 'queued' },
      { status: 'queued' },
    ]);

    await cancelCampaign(made.ctx, made.ref.campaignId);

    expect(await rowsOf(made, 'select distinct status from messages')).toEqual([
      { status: 'cancelled' },
    ]);
  });

  it('retried, skips a group that the first one turns out to have reached', async () => {
    const made = await toGroups([{}]);
    await sendCampaign(made.ctx, made.ref.campaignId);
    await freeze(test, made);
    const send: Gateway['send'] = async () => ({
      kind: 'unknown',
      message: 'The answer was lost.',
    });
    await sendAll(test, made, test.through({ ...test.deps.gateway, send }));
    const { id: campaignId } = await retryCampaign(made.ctx, made.ref.campaignId, {
      statuses: ['unconfirmed'],
    });
    const retry = { ...made, ref: { ...made.ref, campaignId } };
    await sendCampaign(retry.ctx, campaignId);
    await freeze(test, retry);
    await rowsOf(
      made,
      `update campaign_recipients set status = 'delivered' where status = 'unconfirmed'`,
    );
    const { gateway, sent } = aWayOut();

    await sendAll(test, retry, test.through(gateway));

    expect(sent).toEqual([]);
    expect(await detailOf(test, retry)).toMatchObject({
      status: 'done',
      results: { skipped: 1, reasons: { duplicate: 1 } },
    });
  });

  it('retried twice, reaches a group once', async () => {
    const made = await toGroups([{}]);
    const sentBy = async (campaignId: string, gateway: Gateway) => {
      const it = { ...made, ref: { ...made.ref, campaignId } };
      await sendCampaign(made.ctx, campaignId);
      await freeze(test, it);
      await sendAll(test, it, test.through(gateway));
      return (await detailOf(test, it)).audience;
    };
    const refusal = { reason: 'provider_error', providerCode: 131000, message: 'No' } as const;
    const send: Gateway['send'] = async () => ({ kind: 'refused', ...refusal });
    await sentBy(made.ref.campaignId, { ...test.deps.gateway, send });
    const retried = () => retryCampaign(made.ctx, made.ref.campaignId, { statuses: ['failed'] });
    const one = await retried();
    const two = await retried();
    const { gateway, sent } = aWayOut();

    expect(await sentBy(one.id, gateway)).toMatchObject({ eligible: 1 });
    expect(await sentBy(two.id, gateway)).toMatchObject({
      eligible: 0,
      excluded: { duplicate: 1 },
    });
    expect(sent).toHaveLength(1);
    await expect(retried()).rejects.toMatchObject({ details: [{ rule: 'none_left' }] });
  });

  it('leaves a group that WhatsApp knows no more', async () => {
    const made = await toGroups([{}]);
    await sendCampaign(made.ctx, made.ref.campaignId);
    await freeze(test, made);
    const send: Gateway['send'] = async () => ({
      kind: 'refused',
      reason: 'no_recipient',
      providerCode: 131041,
      message: 'Group unknown',
    });

    await sendAll(test, made, test.through({ ...test.deps.gateway, send }));

    expect(await rowsOf(made, 'select left_at is not null as gone from groups')).toEqual([
      { gone: true },
    ]);
    expect(await detailOf(test, made)).toMatchObject({
      status: 'done',
      results: { failed: 1, reasons: { no_recipient: 1 } },
    });
  });
});
