import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connectNumber } from '../../src/numbers/connecting.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type InboundHouse, openInbound, rowsOf } from '../support/inbound.ts';

let house: InboundHouse;
beforeAll(async () => {
  house = await openInbound();
});
afterAll(() => house.close());

it('leaves up a number that a person connected after WhatsApp had posted its problem', async () => {
  const { ctx } = await aWorkspace(house.database);
  const { id, phoneNumberId } = await aNumber(ctx);
  const value = { metadata: { phone_number_id: phoneNumberId }, errors: [{ code: 190 }] };
  const changes = [{ field: 'messages', value }];
  await house.post({ object: 'whatsapp_business_account', entry: [{ id: 'late', changes }] });
  await house.later(3_600);
  await connectNumber({ ...ctx, now: new Date() }, id, { accessToken: 'new' }, testKeyring);

  await house.process();

  const standing = 'select status, status_reason from numbers where id = $1';
  expect(await rowsOf(house.database, ctx, standing, [id])).toEqual([
    { status: 'connected', status_reason: null },
  ]);
});
