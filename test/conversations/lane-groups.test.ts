import { describe, expect, it } from '@jest/globals';
import { createReminder, newReminderOf } from '../../src/reminders/service.ts';
import { aGroupOf } from '../campaigns/support/groups.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { eventually } from '../support/waiting.ts';
import { laneScene } from './support/lane.ts';

const { scene, aRelay, say, rows, kept, becomes, ledgerOf } = laneScene();

describe('messages to groups', () => {
  it('leave one in six seconds of a number, and are no event', async () => {
    await anEndpoint(scene.ctx, 'https://hooks.example.com/sent');
    const { id: numberId } = await aNumber(scene.ctx);
    const groups = [await aGroupOf(scene.ctx, numberId), await aGroupOf(scene.ctx, numberId)];
    const ids: string[] = [];
    for (const { conversationId } of groups) ids.push(await say(conversationId));
    const begun = Date.now();
    await aRelay();

    for (const id of ids) await becomes(id, 'sent');

    const [first, second] = ids.map((id) => ledgerOf(id));
    expect([first, second].map((entries) => entries?.map(({ to }) => to))).toEqual(
      groups.map(({ providerId }) => [providerId]),
    );
    const times = [first?.[0]?.t ?? 0, second?.[0]?.t ?? 0];
    // Counted from before the first: that one may be late, which brings the second no nearer.
    expect(Math.max(...times) - begun).toBeGreaterThanOrEqual(5_900);
    const told = await rows(
      `select 1 from facts where type = 'message.sent'
       union all select 1 from events where body::jsonb->>'type' = 'message.sent'`,
    );
    expect(told).toEqual([]);
  });

  it('have a time of their own each until their number may send them', async () => {
    const { id: numberId } = await aNumber(scene.ctx);
    for (let group = 0; group < 4; group += 1)
      await say((await aGroupOf(scene.ctx, numberId)).conversationId);
    const begun = Date.now();
    await aRelay();

    const waiting = (): Promise<{ at: Date }[]> =>
      rows(
        'select not_before as at from outgoing_messages where number_id = $1 and claim_token is null order by 1',
        [numberId],
      );
    let times: number[] = [];
    await eventually(async () => {
      times = (await waiting()).map(({ at }) => at.getTime()).filter((at) => at > begun);
      return times.length === 3;
    });

    const [second = 0, third = 0, fourth = 0] = times;
    expect(third - second).toBeGreaterThanOrEqual(5_900);
    expect(fourth - third).toBeGreaterThanOrEqual(5_900);
  });

  it("let a person's reply go first, however long they have had their times", async () => {
    const { id: numberId } = await aNumber(scene.ctx);
    const talks: string[] = [];
    for (let group = 0; group < 4; group += 1)
      talks.push((await aGroupOf(scene.ctx, numberId)).conversationId);
    const [replied = '', ...others] = talks;
    const waiting: string[] = [];
    for (const talk of others) waiting.push(await say(talk));
    const { waker } = await aRelay();
    const back = 'select 1 from outgoing_messages where number_id = $1 and not_before > now()';
    await eventually(async () => (await rows(back, [numberId])).length === 2);
    await rows(DUE_WITH_THE_SLOT, [numberId]);

    const reply = await say(replied, { source: 'member' });
    const looking = setInterval(() => void waker.wake('messages'), 5);
    const sent = () => [reply, ...waiting].filter((id) => ledgerOf(id).length > 0);
    await eventually(async () => sent().length === 2);
    clearInterval(looking);

    expect(sent()).toContain(reply);
  });

  it('are lost when we left the group meanwhile', async () => {
    const { id: numberId } = await aNumber(scene.ctx);
    const { id, conversationId } = await aGroupOf(scene.ctx, numberId);
    const message = await say(conversationId);
    await rows('update groups set left_at = now() where id = $1', [id]);
    await aRelay();

    await becomes(message, 'failed');

    expect((await kept(message))?.error?.reason).toBe('no_recipient');
    expect(ledgerOf(message)).toEqual([]);
  });

  it('leave the group when WhatsApp knows it no more, and cancel what was planned for it', async () => {
    const { id: numberId } = await aNumber(scene.ctx);
    const group = await aGroupOf(scene.ctx, numberId);
    // The simulator refuses by the last digits, as it does with phones.
    await rows("update groups set provider_id = 'g-0131041' where id = $1", [group.id]);
    const reminder = await createReminder(
      scene.ctx,
      newReminderOf({
        title: 'Aviso',
        text: 'Amanhã não abrimos.',
        target: 'group',
        group_id: group.id,
        number_id: numberId,
        repeat: 'daily',
        time: '09:00',
      }),
    );
    const message = await say(group.conversationId);
    await aRelay();

    await becomes(message, 'failed');
    expect((await kept(message))?.error).toMatchObject({
      reason: 'no_recipient',
      provider_code: 131041,
    });
    await eventually(async () => (await rows(LEFT, [group.id])).length > 0);
    expect(
      await rows('select status, cancel_reason from reminders where id = $1', [reminder.id]),
    ).toEqual([{ status: 'cancelled', cancel_reason: 'target_removed' }]);
    expect(await rows(LOGGED, [group.id, reminder.id])).toEqual([
      { action: 'group.left' },
      { action: 'reminder.cancelled' },
    ]);
  });
});

/** What waits is due when the next slot is free, or a little earlier, as it was given its time long before. */
const DUE_WITH_THE_SLOT = `
  update outgoing_messages o set not_before = p.next_at - interval '20 ms' from pacers p
  where o.number_id = $1 and p.number_id = $1 and p.lane = 'groups'`;
const LEFT = 'select 1 from groups where id = $1 and left_at is not null';
const LOGGED = `select action from audit_entries
  where target->>'id' in ($1, $2) and action <> 'reminder.created' order by seq`;
