import { describe, expect, it } from '@jest/globals';
import { newReminderBody } from '../../src/reminders/schema.ts';
import { createReminder } from '../../src/reminders/service.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const stage = opened(openInboundStage);

let posted = 0;
const ago = (seconds: number): string => String(Math.floor(Date.now() / 1_000) - seconds);

async function aScene() {
  const { ctx } = await aWorkspace(stage.database);
  const { id: numberId, phoneNumberId } = await aNumber(ctx);
  const post = async (field: string, said: object): Promise<void> => {
    posted += 1;
    const metadata = { phone_number_id: phoneNumberId };
    const changes = [{ field, value: { messaging_product: 'whatsapp', metadata, ...said } }];
    const entry = [{ id: String(posted), changes }];
    await stage.post({ object: 'whatsapp_business_account', entry });
    await stage.process();
  };
  const tell = (group: object, field = 'group_lifecycle_update'): Promise<void> =>
    post(field, { groups: [{ timestamp: ago(0), group_id: 'Y2FwaV9n', ...group }] });
  const write = (timestamp: string): Promise<void> =>
    post('messages', {
      contacts: [{ wa_id: '5511999990000', profile: { name: 'Ana' } }],
      messages: [
        {
          id: `wamid.${posted}`,
          from: '5511999990000',
          group_id: 'Y2FwaV9n',
          timestamp,
          type: 'text',
          text: { body: 'Oi' },
        },
      ],
    });
  const groups = () =>
    rowsOf<{ id: string; name: string; left: boolean }>(
      ctx,
      'select id, name, left_at is not null as left from groups',
    );
  return { ctx, numberId, tell, write, groups };
}

describe('a group of ours', () => {
  it('is known from when WhatsApp says that it is made, with its conversation', async () => {
    const { ctx, tell, groups } = await aScene();

    await tell({ type: 'group_create', subject: 'Clientes' });
    await tell({ type: 'group_create', subject: 'Clientes' });

    expect(await groups()).toEqual([{ id: expect.any(String), name: 'Clientes', left: false }]);
    expect(await rowsOf(ctx, 'select group_id from conversations')).toHaveLength(1);
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
    expect(await rowsOf(ctx, 'select status, cancel_reason as why from reminders')).toEqual([
      { status: 'cancelled', why: 'target_removed' },
    ]);
    expect(
      await rowsOf(ctx, `select 1 from audit_entries where action = 'group.left'`),
    ).toHaveLength(1);
  });

  it('stays left when WhatsApp tells late, or again, of when we were in it', async () => {
    const { ctx, tell, write, groups } = await aScene();
    await tell({ type: 'group_create', subject: 'Clientes', timestamp: ago(7_200) });
    await tell({ type: 'group_delete', timestamp: ago(3_600) });

    await tell({ type: 'group_create', subject: 'Clientes', timestamp: ago(7_200) });
    await write(ago(4_000));

    expect(await groups()).toMatchObject([{ left: true }]);
    expect(await rowsOf(ctx, 'select 1 from messages')).toHaveLength(1);
  });

  it('is taken back by a message from after we had left it', async () => {
    const { ctx, tell, write, groups } = await aScene();
    await tell({ type: 'group_create', subject: 'Clientes' });
    await tell({ type: 'group_delete' });
    await rowsOf(ctx, `update groups set left_at = now() - interval '1 hour'`);

    await write(ago(1_800));

    expect(await groups()).toMatchObject([{ left: false }]);
  });

  it('keeps its name when somebody writes in it', async () => {
    const { tell, write, groups } = await aScene();
    await tell({ type: 'group_create', subject: 'Clientes' });

    await write(ago(30));

    expect(await groups()).toMatchObject([{ name: 'Clientes' }]);
  });

  it('has its closed conversation opened anew by a message', async () => {
    const { ctx, write } = await aScene();
    await write(ago(60));
    await rowsOf(
      ctx,
      "update conversations set status = 'closed', closed_at = now(), opened_at = now() - interval '1 day'",
    );

    await write(ago(30));

    expect(
      await rowsOf(
        ctx,
        "select status, closed_at, opened_at > now() - interval '1 hour' as anew from conversations",
      ),
    ).toEqual([{ status: 'open', closed_at: null, anew: true }]);
  });

  it('is called as people call it in WhatsApp', async () => {
    const { ctx, tell, groups } = await aScene();
    const set = (settings: object): Promise<void> =>
      tell({ type: 'group_settings_update', ...settings }, 'group_settings_update');
    const failed = { text: 'Nada', update_successful: false, errors: [{ code: 100 }] };
    await tell({ type: 'group_create', subject: 'Clientes' });

    await set({
      group_subject: { text: `Clientes ${'🌻'.repeat(99)}`, update_successful: true },
      group_description: { text: 'Quem comprou', update_successful: true },
    });
    await set({ group_subject: failed, group_description: failed });
    await set({ group_subject: { text: 'Outro', update_successful: true }, group_id: 'unknown' });
    await set({ group_subject: { text: '\u200e\u3164', update_successful: true } });

    expect(await groups()).toMatchObject([{ name: `Clientes ${'🌻'.repeat(91)}` }]);
    expect(await rowsOf(ctx, 'select description from groups')).toEqual([
      { description: 'Quem comprou' },
    ]);
  });

  it('keeps its latest name and description when older news of them comes late', async () => {
    const { ctx, tell } = await aScene();
    const set = (part: string, text: string, secondsAgo: number): Promise<void> =>
      tell(
        {
          type: 'group_settings_update',
          timestamp: ago(secondsAgo),
          [`group_${part}`]: { text, update_successful: true },
        },
        'group_settings_update',
      );
    await tell({ type: 'group_create', subject: 'Clientes', timestamp: ago(90) });

    await set('subject', 'Clientes novos', 20);
    await set('description', 'Quem comprou', 40);
    await set('subject', 'Clientes antigos', 60);
    await set('description', 'Quem olhou', 50);
    await set('description', 'Quem volta', 10);

    expect(await rowsOf(ctx, 'select name, description from groups')).toEqual([
      { name: 'Clientes novos', description: 'Quem volta' },
    ]);
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
