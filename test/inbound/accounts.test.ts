import { expect, it } from '@jest/globals';
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

const removed = (account: string): object =>
  of(account, { field: 'account_update', value: { event: 'PARTNER_REMOVED' } });

it('a number that was connected without its business account learns it from WhatsApp, and hears what befalls it', async () => {
  const { ctx } = await aWorkspace(stage.database);
  const cloud = { provider: 'cloud_api', accessToken: 'E' } as const;
  const lacking = await aNumber(ctx, { ...cloud, phoneNumberId: '9401' });
  const known = await aNumber(ctx, {
    ...cloud,
    ...{ phoneNumberId: '9501', businessAccountId: '95' },
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

it('the templates of a number are read at once when its business account is learnt', async () => {
  const { ctx } = await aWorkspace(stage.database);
  const cloud = { provider: 'cloud_api', accessToken: 'E' } as const;
  await aNumber(ctx, { ...cloud, phoneNumberId: '9601' });
  const known = await aNumber(ctx, {
    ...cloud,
    ...{ phoneNumberId: '9701', businessAccountId: '97' },
  });
  const rows = (text: string) => rowsOf(ctx, text);
  await rows(`insert into template_syncs (organization_id, number_id, due_at)
    select organization_id, id, now() + interval '10 minutes' from numbers`);

  for (const id of ['9601', '9701']) await stage.post(about('96', id));
  await stage.process();

  expect(await rows('select number_id from template_syncs')).toEqual([{ number_id: known.id }]);
});
