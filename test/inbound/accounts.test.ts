import { expect, it } from '@jest/globals';
import { learnAccount } from '../../src/inbound/updates/accounts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const stage = opened(openInboundStage);

const of = (id: string, change: object): object => ({
  object: 'whatsapp_business_account',
  entry: [{ id, changes: [change] }],
});

/** WhatsApp names the account beside whatever it says of the number. */
const about = (account: string, phoneNumberId: string | null): object =>
  of(account, {
    field: 'messages',
    value: { messaging_product: 'whatsapp', metadata: { phone_number_id: phoneNumberId } },
  });

const PARTNER = '2949482758682047';

/** WhatsApp tells it the partner, under the partner's own id. */
const removed = (account: string): object =>
  of(PARTNER, {
    field: 'account_update',
    value: {
      event: 'PARTNER_REMOVED',
      waba_info: { waba_id: account, owner_business_id: '2329417887457253' },
      disconnection_info: { reason: 'PRIMARY_INACTIVITY', initiated_by: 'SYSTEM' },
    },
  });

it('a number that was connected without its business account learns it from WhatsApp, and hears what befalls it', async () => {
  const { ctx } = await aWorkspace(stage.database);
  const cloud = { provider: 'cloud_api', accessToken: 'E' } as const;
  const lacking = await aNumber(ctx, { ...cloud, phoneNumberId: '9401' });
  const known = await aNumber(ctx, {
    ...cloud,
    phoneNumberId: '9501',
    businessAccountId: '95',
  });
  const sandbox = await aNumber(ctx);

  for (const { phoneNumberId } of [lacking, known, sandbox])
    await stage.post(about('94', phoneNumberId ?? null));
  await stage.process();
  await stage.post(removed('94'));
  await stage.process();

  const rows = await rowsOf<{ id: string; account: string | null; status: string }>(
    ctx,
    'select id, business_account_id as account, status from numbers',
  );
  expect(new Map(rows.map(({ id, account, status }) => [id, [account, status]]))).toEqual(
    new Map([
      [lacking.id, ['94', 'disconnected']],
      [known.id, ['95', 'connected']],
      [sandbox.id, [null, 'connected']],
    ]),
  );
});

it('a number that was given its business account meanwhile keeps it', async () => {
  const { ctx } = await aWorkspace(stage.database);
  const { id: numberId, organizationId } = await aNumber(ctx, { businessAccountId: '99' });

  await learnAccount(stage.options, { organizationId, numberId }, '94');

  expect(await rowsOf(ctx, 'select business_account_id as account from numbers')).toEqual([
    { account: '99' },
  ]);
});

it('the templates of a number are read at once when its business account is learnt', async () => {
  const { ctx } = await aWorkspace(stage.database);
  const cloud = { provider: 'cloud_api', accessToken: 'E' } as const;
  await aNumber(ctx, { ...cloud, phoneNumberId: '9601' });
  const known = await aNumber(ctx, {
    ...cloud,
    phoneNumberId: '9701',
    businessAccountId: '97',
  });
  const rows = (text: string) => rowsOf(ctx, text);
  await rows(`insert into template_syncs (organization_id, number_id, due_at)
    select organization_id, id, now() + interval '10 minutes' from numbers`);

  for (const id of ['9601', '9701']) await stage.post(about('96', id));
  await stage.process();

  expect(await rows('select number_id from template_syncs')).toEqual([{ number_id: known.id }]);
});

it('a number whose account WhatsApp took off while its phone changed is back once WhatsApp says so', async () => {
  const { ctx } = await aWorkspace(stage.database);
  const { id } = await aNumber(ctx, { businessAccountId: '98' });
  const left = await aNumber(ctx, { businessAccountId: '98' });
  await rowsOf(
    ctx,
    `update numbers set status = 'disconnected', status_reason = 'token_revoked' where id = $1`,
    [left.id],
  );
  const told = async (event: string): Promise<unknown> => {
    await stage.post(of('98', { field: 'account_update', value: { event } }));
    await stage.process();
    return rowsOf(ctx, 'select status, status_reason as why from numbers order by id = $1 desc', [
      id,
    ]);
  };
  const revoked = { status: 'disconnected', why: 'token_revoked' };

  expect(await told('ACCOUNT_OFFBOARDED')).toEqual([
    { status: 'disconnected', why: 'account_offboarded' },
    revoked,
  ]);
  expect(await told('ACCOUNT_RECONNECTED')).toEqual([{ status: 'connected', why: null }, revoked]);
});
