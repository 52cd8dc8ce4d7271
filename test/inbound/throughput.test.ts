import { expect, it } from '@jest/globals';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const stage = opened(openInboundStage);

it('a number that WhatsApp grants more may send it, also where it is named without its ninth digit', async () => {
  const { ctx } = await aWorkspace(stage.database);
  const account = { businessAccountId: '773', provider: 'cloud_api', accessToken: 'E' } as const;
  const granted = await aNumber(ctx, {
    ...account,
    phoneNumberId: '7731',
    phone: '+5511990000773',
  });
  const other = await aNumber(ctx, {
    ...account,
    phoneNumberId: '7732',
    phone: '+5511990000774',
  });
  const value = {
    display_phone_number: '551190000773',
    event: 'THROUGHPUT_UPGRADE',
    max_daily_conversations_per_business: 'TIER_UNLIMITED',
  };
  const changes = [{ field: 'phone_number_quality_update', value }];

  await stage.post({
    object: 'whatsapp_business_account',
    entry: [{ id: '773', time: Math.floor(Date.now() / 1_000), changes }],
  });
  await stage.process();

  const most = async (id: string) => {
    const [row] = await rowsOf<{ most: number }>(
      ctx,
      'select ceiling_per_minute as most from numbers where id = $1',
      [id],
    );
    return row?.most;
  };
  expect([await most(granted.id), await most(other.id)]).toEqual([60_000, 4_800]);
  expect(
    await rowsOf(ctx, "select actor ->> 'type' as by from audit_entries where action = $1", [
      'number.updated',
    ]),
  ).toEqual([{ by: 'system' }]);
});
