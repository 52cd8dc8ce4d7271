import { describe, expect, it } from '@jest/globals';
import { aGroupOf } from '../campaigns/support/groups.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { laneScene } from './support/lane.ts';

const { scene, aRelay, say, rows, kept, becomes, ledgerOf } = laneScene();

describe('messages to groups', () => {
  it('leave one in six seconds of a number, and are no event', async () => {
    await anEndpoint(scene.ctx, 'https://hooks.example.com/sent');
    const { id: numberId } = await aNumber(scene.ctx);
    const groups = [await aGroupOf(scene.ctx, numberId), await aGroupOf(scene.ctx, numberId)];
    const ids: string[] = [];
    for (const { conversationId } of groups) ids.push(await say(conversationId));
    await aRelay();

    for (const id of ids) await becomes(id, 'sent', 15_000);

    const [first, second] = ids.map((id) => ledgerOf(id));
    expect([first, second].map((entries) => entries?.map(({ to }) => to))).toEqual(
      groups.map(({ providerId }) => [providerId]),
    );
    expect(Math.abs((second?.[0]?.t ?? 0) - (first?.[0]?.t ?? 0))).toBeGreaterThanOrEqual(5_500);
    const told = await rows(
      `select 1 from facts where type = 'message.sent'
       union all select 1 from events where body::jsonb->>'type' = 'message.sent'`,
    );
    expect(told).toEqual([]);
  }, 30_000);

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
});
