import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { changeNumber } from '../../src/campaigns/states/number-changes.ts';
import { resumeCampaign } from '../../src/campaigns/states/transitions.ts';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { STAMP_MS } from '../../src/gateway/port.ts';
import { newIdAt } from '../../src/ids.ts';
import { connectNumber } from '../../src/numbers/connecting.ts';
import { untilWaiting } from '../support/database.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aStatusWebhook, openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const stage = opened(openInboundStage);

interface Sending {
  readonly ctx: Context;
  readonly numberId: string;
  readonly campaignId: string;
  readonly phoneNumberId: string;
  readonly messageId: string;
}

/** A campaign that is sending, with one message that WhatsApp took. */
async function sending(): Promise<Sending> {
  const { ctx } = await aWorkspace(stage.database);
  const { id: numberId, phoneNumberId } = await aNumber(ctx);
  const contactId = (await aContact(ctx)).id;
  const { id } = await aCampaign(ctx, { number_id: numberId, contact_ids: [contactId] });
  const conversationId = await aConversation(ctx, { numberId, contactId });
  const [messageId = ''] = await someMessages(ctx, { numberId, contactId, conversationId });
  await rowsOf(ctx, "update campaigns set status = 'sending' where id = $1", [id]);
  const ofCampaign = 'update messages set campaign_id = $1 where id = $2';
  await rowsOf(ctx, ofCampaign, [id, messageId]);
  return { ctx, numberId, campaignId: id, phoneNumberId: phoneNumberId ?? '', messageId };
}

const standing = async (ctx: Context): Promise<unknown> => {
  const [row] = await rowsOf(
    ctx,
    'select c.status, c.pause_reason, n.status as number from campaigns c join numbers n on n.id = c.number_id',
  );
  return row;
};

const fails = ({ phoneNumberId, messageId }: Sending, code: number): Promise<unknown> =>
  stage.post(
    aStatusWebhook(phoneNumberId, [{ id: 'wamid.1', key: messageId, status: 'failed', code }]),
  );

const resumed = (tx: Context, { campaignId }: Sending): Promise<unknown> =>
  resumeCampaign(tx, campaignId);

const connected = (tx: Context, { numberId }: Sending): Promise<unknown> =>
  connectNumber(tx, numberId, {}, testKeyring);

const givenToken = (tx: Context, { numberId }: Sending): Promise<unknown> =>
  connectNumber(tx, numberId, { accessToken: 'new' }, testKeyring);

describe('a message that fails after WhatsApp took it', () => {
  it.each([
    [131048, 'paused', 'spam_limit', 'connected'],
    [190, 'paused', 'number_unavailable', 'disconnected'],
    [368, 'paused', 'number_unavailable', 'suspended'],
    [131045, 'paused', 'number_unavailable', 'error'],
    [131026, 'sending', null, 'connected'],
  ])(
    'with %i leaves its campaign %s (%s) and its number %s',
    async (code, status, reason, number) => {
      const { ctx, phoneNumberId, messageId } = await sending();
      const failed = { id: 'wamid.1', key: messageId, status: 'failed', code };

      await stage.post(aStatusWebhook(phoneNumberId, [failed]));
      await stage.process();

      expect(await standing(ctx)).toEqual({ status, pause_reason: reason, number });
    },
  );

  it.each([
    [131048, "update campaigns set status = 'paused', started_at = now()", resumed],
    [368, "update numbers set status = 'disconnected'", connected],
  ])(
    'with %i stops nothing that a person has set going again since',
    async (code, before, again) => {
      const made = await sending();
      await rowsOf(made.ctx, before, []);
      await fails(made, code);
      await sleep(STAMP_MS + 100);
      await again({ ...made.ctx, now: new Date() }, made);

      await stage.process();

      expect(await standing(made.ctx)).toMatchObject({ status: 'sending', number: 'connected' });
    },
  );

  it('with 190 stops a number that was only slowed since', async () => {
    const made = await sending();
    await fails(made, 190);
    const later = { ...made.ctx, now: new Date(Date.now() + 2_000) };
    await changeNumber(later, made.numberId, { cause: 'throttled' });

    await stage.process();

    expect(await standing(made.ctx)).toMatchObject({ status: 'paused', number: 'disconnected' });
  });

  it.each([
    [131048, "update campaigns set status = 'paused', started_at = now()", resumed],
    [368, "update numbers set status = 'disconnected'", connected],
  ])(
    'with %i stops nothing that a person sets going at that moment',
    async (code, before, again) => {
      const made = await sending();
      await rowsOf(made.ctx, before, []);
      await fails(made, code);
      await sleep(STAMP_MS + 100);

      const { processed } = await transact(made.ctx, async (tx) => {
        await again({ ...tx, now: new Date(Date.now() + 2_000) }, made);
        const processed = stage.process();
        await untilWaiting(stage.database.app);
        return { processed };
      });
      await processed;

      expect(await standing(made.ctx)).toMatchObject({ status: 'sending', number: 'connected' });
    },
  );

  it.each([
    [190, 'sending', 'connected'],
    [131045, 'sending', 'connected'],
    [368, 'paused', 'suspended'],
  ])(
    'with %i leaves its campaign %s and its number %s if that has got another token since',
    async (code, status, number) => {
      const made = await sending();
      await givenToken(made.ctx, made);

      await fails(made, code);
      await stage.process();

      expect(await standing(made.ctx)).toMatchObject({ status, number });
    },
  );

  it('with 190 stops a number that got its token long before the message', async () => {
    const made = await sending();
    await givenToken(made.ctx, made);
    const messageId = newIdAt('msg', new Date(Date.now() + 60_000));
    await rowsOf(made.ctx, 'update messages set id = $1', [messageId]);

    await fails({ ...made, messageId }, 190);
    await stage.process();

    expect(await standing(made.ctx)).toMatchObject({ status: 'paused', number: 'disconnected' });
  });

  it('with 131045 stops a number that sent the message with its new token, after a long wait', async () => {
    const made = await sending();
    await givenToken(made.ctx, made);
    const later = "update messages set status = 'sent', sent_at = now() + interval '1 minute'";
    await rowsOf(made.ctx, later, []);

    await fails(made, 131045);
    await stage.process();

    expect(await standing(made.ctx)).toMatchObject({ status: 'paused', number: 'error' });
  });

  it('stops nothing when the report is an old one', async () => {
    const { ctx, phoneNumberId, messageId } = await sending();
    const failed = { id: 'wamid.1', key: messageId, status: 'failed', code: 190 };
    const webhook = JSON.stringify(aStatusWebhook(phoneNumberId, [failed]));
    const anHourAgo = String(Math.floor(Date.now() / 1000) - 3_600);

    await stage.post(webhook.replace(/"timestamp":"\d+"/, `"timestamp":"${anHourAgo}"`));
    await stage.process();

    expect(await standing(ctx)).toMatchObject({ status: 'sending', number: 'connected' });
  });

  it.each([
    [131048, 'spam_limit', 'connected'],
    [190, 'number_unavailable', 'disconnected'],
  ])('with %i is acted on after all if that was cut short', async (code, reason, number) => {
    const { ctx, phoneNumberId, messageId } = await sending();
    const failed = { id: 'wamid.1', key: messageId, status: 'failed', code };
    const cut = `add constraint cut_short check (status <> 'paused' or organization_id <> '${ctx.organizationId}')`;
    await stage.owner(`alter table campaigns ${cut}`);

    await stage.post(aStatusWebhook(phoneNumberId, [failed]));
    await stage.process();
    await stage.owner('alter table campaigns drop constraint cut_short');
    const before = await standing(ctx);
    await stage.later(0);
    await stage.process();

    expect(before).toMatchObject({ status: 'sending', number: 'connected' });
    expect(await standing(ctx)).toEqual({ status: 'paused', pause_reason: reason, number });
  });
});
