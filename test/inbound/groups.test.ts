import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newReminderBody } from '../../src/reminders/schema.ts';
import { createReminder } from '../../src/reminders/service.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type InboundHouse, openInbound, rowsOf } from '../support/inbound.ts';

let house: InboundHouse;
beforeAll(async () => {
  house = await openInbound();
});
afterAll(() => house.close());

let posted = 0;

async function aScene() {
  const { ctx } = await aWorkspace(house.database);
  const { id: numberId, phoneNumberId } = await aNumber(ctx);
  const tell = async (group: object): Promise<void> => {
    posted += 1;
    const value = {
      messaging_product: 'whatsapp',
      metadata: { phone_number_id: phoneNumberId },
      groups: [{ timestamp: String(posted), group_id: 'Y2FwaV9n', ...group }],
    };
    const changes = [{ field: 'group_lifecycle_update', value }];
    await house.post({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] });
    await house.process();
  };
  const groups = () =>
    rowsOf<{ id: string; name: string; left: boolean }>(
      house.database,
      ctx,
      'select id, name, left_at is not null as left from groups',
    );
  return { ctx, numberId, tell, groups };
}

describe('a group of ours', () => {
  it('is known from when WhatsApp says that it is made, with its conversation', async () => {
    const { ctx, tell, groups } = await aScene();

    await tell({ type: 'group_create', subject: 'Clientes' });
    await tell({ type: 'group_create', subject: 'Clientes' });

    expect(await groups()).toEqual([{ id: expect.any(String), name: 'Clientes', left: false }]);
    expect(await rowsOf(house.database, ctx, 'select group_id from conversations')).toHaveLength(1);
  });

  it('is left once when WhatsApp says that it is no more, and its reminders end', async () => {
    const { ctx, numberId, tell, groups } = await aScene();
    await tell({ type: 'group_create', subject: 'Clientes' });
    const [group] = await groups();
    await createReminder(
      ctx,
      newReminderBody.parse({
        title: 'Aviso',
        text: 'Oi',
        target: 'group',
        group_id: group?.id ?? '',
        number_id: numberId,
        repeat: 'daily',
        time: '09:00',
      }),
    );

    await tell({ type: 'group_delete' });
    await tell({ type: 'group_delete' });

    expect(await groups()).toEqual([{ ...group, left: true }]);
    expect(
      await rowsOf(house.database, ctx, 'select status, cancel_reason as why from reminders'),
    ).toEqual([{ status: 'cancelled', why: 'target_removed' }]);
    expect(
      await rowsOf(house.database, ctx, `select 1 from audit_entries where action = 'group.left'`),
    ).toHaveLength(1);
  });

  it('is not changed by what failed, nor by what WhatsApp says of other things', async () => {
    const { tell, groups } = await aScene();
    const errors = [{ code: 131000 }];

    await tell({ type: 'group_create', subject: 'Nada', errors });
    await tell({ type: 'group_delete' });
    await tell({ type: 'group_suspend' });

    expect(await groups()).toEqual([]);
  });
});
