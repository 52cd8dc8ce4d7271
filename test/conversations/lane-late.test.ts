import { describe, expect, it } from '@jest/globals';
import { type Outcome, retryOutcome } from '../../src/conversations/lane/outcomes.ts';
import { settle } from '../../src/conversations/lane/settling.ts';
import { transact } from '../../src/db/transact.ts';
import { laneScene } from './support/lane.ts';

const { scene, aTalk, say, rows } = laneScene();

/** A message that one process is sending, although another one took it first and was given up. */
async function sending(): Promise<string> {
  const { conversationId } = await aTalk();
  const id = await say(conversationId);
  await rows(
    "update outgoing_messages set claim_token = 'now', claimed_at = now() where message_id = $1",
    [id],
  );
  await rows("update messages set status = 'sending' where id = $1", [id]);
  return id;
}

const settledBy = (token: string, messageId: string, outcome: Outcome): Promise<number> =>
  transact(scene.ctx, ({ sql, organizationId, now }) =>
    settle(sql, { organizationId, token, now }, [{ messageId, outcome }]),
  );

const standing = async (id: string): Promise<unknown> =>
  (await rows<{ status: string }>('select status from messages where id = $1', [id]))[0]?.status;

describe('what a process says too late of a message that another one sends', () => {
  it('changes nothing, unless it is that it was sent', async () => {
    const id = await sending();

    await settledBy('before', id, retryOutcome(1_000, false));
    const given = await standing(id);
    await settledBy('before', id, { status: 'sent', providerId: 'wamid.late' });

    expect([given, await standing(id)]).toEqual(['sending', 'sent']);
  });

  it('does not hide how the other one ends', async () => {
    const id = await sending();

    await settledBy('before', id, retryOutcome(1_000, false));
    const told = await settledBy('now', id, { status: 'sent', providerId: 'wamid.now' });

    expect([told, await standing(id)]).toEqual([1, 'sent']);
    expect(await rows('select from outgoing_messages where message_id = $1', [id])).toEqual([]);
  });
});
