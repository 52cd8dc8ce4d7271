import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { type NumberEvent, numberWebhook } from '../../src/simulator/webhooks/envelopes.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const stage = opened(openInboundStage);

let repeated = 0;

/** WhatsApp posts it; a field that nobody reads makes each body its own. */
async function post(webhook: object): Promise<void> {
  repeated += 1;
  await stage.post({ ...webhook, n: repeated });
  await stage.process();
}

const seconds = (ms: number): number => Math.floor((Date.now() + ms) / 1_000);

const ofAccount = (account: string, value: object, time = seconds(0)): object => ({
  object: 'whatsapp_business_account',
  entry: [{ id: account, time, changes: [{ field: 'account_update', value }] }],
});

const standing = async (ctx: Context, id: string): Promise<unknown[]> => {
  const [row] = await rowsOf<{ status: string; status_reason: string | null }>(
    ctx,
    'select status, status_reason from numbers where id = $1',
    [id],
  );
  return [row?.status, row?.status_reason];
};

const set = (ctx: Context, id: string, values: string): Promise<unknown> =>
  rowsOf(ctx, `update numbers set ${values} where id = $1`, [id]);

/** A number of the simulator, whose device tells what it does. */
async function aPairedNumber() {
  const { ctx } = await aWorkspace(stage.database);
  const { id, phoneNumberId } = await aNumber(ctx, { provider: 'paired' });
  const tell = async (...events: NumberEvent[]): Promise<unknown[]> => {
    for (const event of events) await post(numberWebhook(phoneNumberId ?? '', event));
    return standing(ctx, id);
  };
  return { ctx, id, tell };
}

describe('what WhatsApp says of a number', () => {
  it('degrades it at once when its quality is red, and remembers when it is green again', async () => {
    const { ctx } = await aWorkspace(stage.database);
    const { id, phoneNumberId = '' } = await aNumber(ctx);
    const other = await aNumber(ctx);

    await post(numberWebhook(phoneNumberId ?? '', 'FLAGGED'));
    await post(numberWebhook(phoneNumberId ?? '', 'FLAGGED'));

    expect(await standing(ctx, id)).toEqual(['degraded', 'quality_red']);
    expect(await standing(ctx, other.id)).toEqual(['connected', null]);
    const qualities = () => rowsOf(ctx, 'select quality from number_health');
    expect(await qualities()).toEqual([{ quality: 'red' }]);
    await post(numberWebhook(phoneNumberId ?? '', 'UNFLAGGED'));
    expect(await qualities()).toEqual([{ quality: 'green' }]);
    expect(await standing(ctx, id)).toEqual(['degraded', 'quality_red']);
  });

  it('leaves its quality alone when it tells late of an earlier one', async () => {
    const { ctx } = await aWorkspace(stage.database);
    const { id, phoneNumberId } = await aNumber(ctx, { businessAccountId: '70' });
    await set(ctx, id, "status_changed_at = now() - interval '1 hour'");
    const told = (event: string, ms: number): Promise<void> => {
      const value = { display_phone_number: phoneNumberId, event };
      const changes = [{ field: 'phone_number_quality_update', value }];
      const entry = [{ id: '70', time: seconds(ms), changes }];
      return post({ object: 'whatsapp_business_account', entry });
    };

    await told('UNFLAGGED', -30_000);
    await told('FLAGGED', -60_000);
    const late = [await standing(ctx, id), await rowsOf(ctx, 'select quality from number_health')];
    await told('FLAGGED', 0);

    expect(late).toEqual([['connected', null], [{ quality: 'green' }]]);
    expect(await standing(ctx, id)).toEqual(['degraded', 'quality_red']);
  });

  it('knows a number of an account by its phone, in the workspace that has it', async () => {
    const { ctx } = await aWorkspace(stage.database);
    const account = { businessAccountId: '77', provider: 'cloud_api', accessToken: 'E' } as const;
    const flagged = await aNumber(ctx, {
      ...account,
      phoneNumberId: '771',
      phone: '+5511990000771',
    });
    const spared = await aNumber(ctx, { ...account, phoneNumberId: '772' });
    const value = { display_phone_number: '+55 11 99000-0771', event: 'FLAGGED' };
    const changes = [{ field: 'phone_number_quality_update', value }];

    await post({ object: 'whatsapp_business_account', entry: [{ id: '77', changes }] });

    expect(await standing(ctx, flagged.id)).toEqual(['degraded', 'quality_red']);
    expect(await standing(ctx, spared.id)).toEqual(['connected', null]);
  });

  it('suspends every number of a restricted account, pauses its campaigns, and lifts that again', async () => {
    const { ctx } = await aWorkspace(stage.database);
    const { ctx: elsewhere } = await aWorkspace(stage.database);
    const one = await aNumber(ctx, { businessAccountId: '88' });
    const two = await aNumber(elsewhere, { businessAccountId: '88' });
    const other = await aNumber(ctx, { businessAccountId: '89' });
    const contactId = (await aContact(ctx)).id;
    await aCampaign(ctx, { number_id: one.id, contact_ids: [contactId] });
    await rowsOf(ctx, `update campaigns set status = 'sending'`);
    const campaigns = () => rowsOf(ctx, 'select status, pause_reason as why from campaigns');
    const restricted = {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING' }],
    };

    await post(ofAccount('88', restricted));
    for (const [owner, id] of [
      [ctx, one.id],
      [elsewhere, two.id],
    ] as const)
      expect(await standing(owner, id)).toEqual(['suspended', 'account_restriction']);
    expect(await standing(ctx, other.id)).toEqual(['connected', null]);
    const reinstated = { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } };
    await post(ofAccount('88', reinstated, seconds(2_000)));

    expect(await standing(ctx, one.id)).toEqual(['connected', null]);
    expect(await campaigns()).toEqual([{ status: 'paused', why: 'number_unavailable' }]);
  });

  it('leaves it connected while a ban is only announced, and suspends it once it holds', async () => {
    const { ctx } = await aWorkspace(stage.database);
    const { id } = await aNumber(ctx, { businessAccountId: '91' });
    const ban = (state: string) =>
      post(ofAccount('91', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: state } }));
    const warned: unknown[] = [];
    stage.options.log.warn = (about: unknown) => void warned.push(about);

    await ban('SCHEDULE_FOR_DISABLE');
    const announced = await standing(ctx, id);
    await ban('DISABLE');

    expect(announced).toEqual(['connected', null]);
    expect(warned).toEqual([{ numberId: id }]);
    expect(await standing(ctx, id)).toEqual(['suspended', 'disabled_update']);
  });

  it('is no news when it is older than what happened since', async () => {
    const { ctx } = await aWorkspace(stage.database);
    const { id } = await aNumber(ctx, { businessAccountId: '90' });

    await post(ofAccount('90', { event: 'ACCOUNT_DELETED' }, seconds(-60_000)));
    expect(await standing(ctx, id)).toEqual(['connected', null]);
    await post(ofAccount('90', { event: 'ACCOUNT_DELETED' }));

    expect(await standing(ctx, id)).toEqual(['error', 'account_deleted']);
  });

  it('is news in its own order, however late all of it is told', async () => {
    const { ctx } = await aWorkspace(stage.database);
    const { id } = await aNumber(ctx, { businessAccountId: '92' });
    await set(ctx, id, "status_changed_at = now() - interval '1 hour'");
    const ban = (state: string, ms: number) => {
      const value = { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: state } };
      return post(ofAccount('92', value, seconds(ms)));
    };

    await ban('DISABLE', -1_800_000);
    const disabled = await standing(ctx, id);
    const down = await rowsOf(
      ctx,
      "select down_since > now() - interval '1 minute' as lately from numbers where id = $1",
      [id],
    );
    await ban('REINSTATE', -600_000);
    await ban('DISABLE', -1_200_000);

    expect(disabled).toEqual(['suspended', 'disabled_update']);
    expect(down).toEqual([{ lately: true }]);
    expect(await standing(ctx, id)).toEqual(['connected', null]);
  });

  it.each([
    [368, 'suspended'],
    [190, 'disconnected'],
    [133010, 'error'],
  ])(
    'stops a number by a problem %i of the whole number among its messages: %s',
    async (code, status) => {
      const { ctx } = await aWorkspace(stage.database);
      const { id, phoneNumberId } = await aNumber(ctx);
      const value = {
        metadata: { phone_number_id: phoneNumberId },
        errors: [{ code: 130429 }, { code }],
      };
      const changes = [{ field: 'messages', value }];

      await post({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] });

      expect(await standing(ctx, id)).toEqual([status, `whatsapp_${code}`]);
    },
  );
});

describe('a paired number', () => {
  it('is connected by its device, and asks for it again when the codes are used up', async () => {
    const { ctx, id, tell } = await aPairedNumber();

    expect(await tell()).toEqual(['provisioning', null]);
    expect(await tell('paired')).toEqual(['provisioning', null]);
    expect(await tell('code')).toEqual(['awaiting_pairing', 'code_ready']);
    expect(await tell('codes_exhausted')).toEqual(['disconnected', 'pairing_expired']);
    expect(await tell('heartbeat', 'opened')).toEqual(['disconnected', 'pairing_expired']);
    await set(ctx, id, `status = 'awaiting_pairing'`);
    expect(await tell('paired')).toEqual(['connected', null]);
    expect(await tell('logged_out')).toEqual(['disconnected', 'logged_out']);
  });

  it('comes back by itself from a closed connection, and from nothing else', async () => {
    const { ctx, id, tell } = await aPairedNumber();
    await tell('code', 'paired');

    expect(await tell('closed')).toEqual(['connected', null]);
    const closed = () => rowsOf(ctx, 'select closed_at is not null as closed from number_health');
    expect(await closed()).toEqual([{ closed: true }]);
    await set(ctx, id, `status = 'disconnected', status_reason = 'socket_closed'`);
    expect(await tell('opened')).toEqual(['connected', null]);
    expect(await closed()).toEqual([{ closed: false }]);
    await set(ctx, id, `status = 'disconnected', status_reason = 'logged_out'`);

    expect(await tell('heartbeat')).toEqual(['disconnected', 'logged_out']);
  });
});
