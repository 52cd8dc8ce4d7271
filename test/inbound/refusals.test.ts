import { describe, expect, it } from '@jest/globals';
import { aGroupOf } from '../campaigns/support/groups.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aPreferenceWebhook, aStatusWebhook } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { openWritingScene } from './support/writing.ts';

const scene = opened(openWritingScene);

describe('a message that WhatsApp refuses', () => {
  const prefers = async (
    waId: string,
    value: string,
    more: { readonly category?: string; readonly at?: Date } = {},
  ): Promise<void> => {
    await scene.stage.post(aPreferenceWebhook(scene.phoneNumberId, { waId, value, ...more }));
    await scene.stage.process();
  };

  const aSent = async (from: string): Promise<string> => {
    const { id: contactId } = await aContact(scene.ctx, { phone: `+${from}` });
    const past = "update contacts set updated_at = now() - interval '2 hours' where id = $1";
    await scene.rows(past, [contactId]);
    const conversationId = await aConversation(scene.ctx, { numberId: scene.numberId, contactId });
    const { numberId } = scene;
    const [key = ''] = await someMessages(scene.ctx, { numberId, contactId, conversationId });
    return key;
  };
  const aSentTo = async (conversationId: string): Promise<string> => {
    const key = await aSent(scene.aPhone());
    const toGroup = 'update messages set conversation_id = $2, contact_id = null where id = $1';
    await scene.rows(toGroup, [key, conversationId]);
    return key;
  };
  const refuse = async (from: string, sent?: string, at?: Date, times = 1): Promise<void> => {
    const key = sent ?? (await aSent(from));
    const refused = { id: `wamid.${from}`, key, status: 'failed', code: 131050, at };
    await scene.stage.post(aStatusWebhook(scene.phoneNumberId, Array(times).fill(refused)));
    await scene.stage.process();
  };

  it('opts its person out whose switch it tells of (131050)', async () => {
    const from = scene.aPhone();

    await refuse(from);

    expect(await scene.standing(from)).toMatchObject({
      opted_out: true,
      opt_out_source: 'whatsapp',
    });
  });

  it('takes back no words written after the refusal of a message that is told late', async () => {
    const from = scene.aPhone();
    const sent = await aSent(from);
    await scene.writes(from, 'STOP');
    await scene.writes(from, 'START');

    await refuse(from, sent, new Date(Date.now() - 3_600_000));

    expect(await scene.standing(from)).toMatchObject({ opted_out: false });
  });

  it('takes back no opt-in of after a refusal that WhatsApp repeats', async () => {
    const from = scene.aPhone();
    const sent = await aSent(from);
    const at = new Date(Date.now() - 3_600_000);
    await refuse(from, sent, at);
    const before = await scene.standing(from);
    await prefers(from, 'resume');

    await refuse(from, sent, at, 2);

    expect(before).toMatchObject({ opted_out: true });
    expect(await scene.standing(from)).toMatchObject({ opted_out: false });
  });

  it.each([
    ['just now', 0],
    ['eleven minutes ago', 11],
  ])('is kept from a refusal of %s after all if that was cut short', async (_, minutes) => {
    const from = scene.aPhone();
    const cut = `add constraint cut_short check (not opted_out or phone <> '+${from}')`;
    await scene.stage.owner(`alter table contacts ${cut}`);

    await refuse(from, undefined, new Date(Date.now() - minutes * 60_000));
    await scene.stage.owner('alter table contacts drop constraint cut_short');
    const before = await scene.standing(from);
    await scene.stage.later(0);
    await scene.stage.process();

    expect(before).toMatchObject({ opted_out: false });
    expect(await scene.standing(from)).toMatchObject({ opted_out: true });
  });

  it('leaves the group of a message that is refused as unknown (131041), and no other', async () => {
    const { ctx, numberId } = scene;
    const lost = await aGroupOf(ctx, numberId);
    const other = await aGroupOf(ctx, numberId);
    const key = await aSentTo(lost.conversationId);

    await scene.stage.post(
      aStatusWebhook(scene.phoneNumberId, [
        { id: 'wamid.131041', key, status: 'failed', code: 131041 },
      ]),
    );
    await scene.stage.process();

    const left = await scene.rows('select id from groups where left_at is not null');
    expect(left).toEqual([{ id: lost.id }]);
    expect(left).not.toContainEqual({ id: other.id });
  });

  it('leaves a group once, however many messages to it are refused', async () => {
    const { id, conversationId } = await aGroupOf(scene.ctx, scene.numberId);
    const entries = () =>
      scene.rows(
        "select target ->> 'id' as id from audit_entries where action = 'group.left' and target ->> 'id' = $1",
        [id],
      );
    for (const n of [1, 2]) {
      const key = await aSentTo(conversationId);
      const refused = { id: `wamid.once.${n}`, key, status: 'failed', code: 131041 };
      await scene.stage.post(aStatusWebhook(scene.phoneNumberId, [refused]));
      await scene.stage.process();
    }

    expect(await entries()).toEqual([{ id }]);
  });

  it('leaves no group again that took us back since the refusal that WhatsApp repeats', async () => {
    const group = await aGroupOf(scene.ctx, scene.numberId);
    const at = new Date(Date.now() - 11 * 60_000);
    const id = 'wamid.again';
    const refused = {
      id,
      key: await aSentTo(group.conversationId),
      status: 'failed',
      code: 131041,
    };
    const tell = async (times: number): Promise<unknown> => {
      const told = Array(times).fill({ ...refused, at });
      await scene.stage.post(aStatusWebhook(scene.phoneNumberId, told));
      await scene.stage.process();
      return scene.rows('select left_at is not null as left from groups where id = $1', [group.id]);
    };

    expect(await tell(1)).toEqual([{ left: true }]);
    await scene.rows('update groups set left_at = null where id = $1', [group.id]);

    expect(await tell(2)).toEqual([{ left: false }]);
  });
});
