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
    // So far away that all of them have their times by then, however long that takes.
    await rows(SLOT_IN_AN_HOUR, [scene.ctx.organizationId, numberId]);
    const { waker } = await aRelay();
    const back = 'select 1 from outgoing_messages where number_id = $1 and not_before > now()';
    await eventually(async () => (await rows(back, [numberId])).length === waiting.length);
    await rows(DUE_WITH_THE_SLOT, [numberId]);

    const reply = await say(replied, { source: 'member' });
    const looking = setInterval(() => void waker.wake('messages'), 5);
    await eventually(async () => {
      const [time] = await rows<{ sooner: boolean }>(TIME_OF_REPLY, [reply]);
      // It counts from when it is written down: later than it was reckoned on a busy machine, and then it is given anew.
      if (time?.sooner === false) await rows(DUE_NOW, [reply]);
      return time?.sooner === true;
    });
    await rows(SLOT_IN_A_SECOND, [numberId]);
    const sent = () => [reply, ...waiting].filter((id) => ledgerOf(id).length > 0);
    await eventually(async () => sent().length > 0);
    clearInterval(looking);

    expect(sent()).toEqual([reply]);
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

const SLOT_IN_AN_HOUR = `
  insert into pacers (organization_id, number_id, lane, next_at) values ($1, $2, 'groups', now() + interval '1 hour')`;
/** What waits is due when the next slot is free, or a little earlier, as it was given its time long before. */
const DUE_WITH_THE_SLOT = `
  update outgoing_messages o set not_before = p.next_at - interval '20 ms' from pacers p
  where o.number_id = $1 and p.number_id = $1 and p.lane = 'groups'`;
/** Once it has one: whether it is before that of everything else of its number. */
const TIME_OF_REPLY = `
  select o.not_before < (select min(e.not_before) from outgoing_messages e
    where e.number_id = o.number_id and e.message_id <> o.message_id) as sooner
  from outgoing_messages o where o.message_id = $1 and o.claim_token is null and o.not_before > now()`;
const DUE_NOW =
  'update outgoing_messages set not_before = now() where message_id = $1 and claim_token is null';
/** The next slot, and with it whatever waits for it. */
const SLOT_IN_A_SECOND = `
  with was as (select next_at from pacers where number_id = $1 and lane = 'groups'),
  slot as (
    update pacers p set next_at = now() + interval '1 second' from was
    where p.number_id = $1 and p.lane = 'groups' returning was.next_at - p.next_at as by)
  update outgoing_messages o set not_before = o.not_before - slot.by from slot where o.number_id = $1`;
const LEFT = 'select 1 from groups where id = $1 and left_at is not null';
const LOGGED = `select action from audit_entries
  where target->>'id' in ($1, $2) and action <> 'reminder.created' order by seq`;
