import { describe, expect, it } from '@jest/globals';
import { laneScene } from './support/lane.ts';

const { rows, aRelay, aTalk, say, becomes } = laneScene();

/** The simulator loses every message to such a phone as one that is not in WhatsApp. */
const losing = async (area: number) => {
  const talk = await aTalk({ phone: `+55${area}980131026` });
  const lose = async (daysAgo = 0): Promise<void> => {
    const id = await say(talk.conversationId);
    await becomes(id, 'failed');
    await rows(
      `update messages set created_at = created_at - $2 * interval '1 day' where id = $1`,
      [id, daysAgo],
    );
  };
  const standing = async (): Promise<unknown> => {
    const found = await rows<{ status: string }>(
      'select whatsapp_status as status from contacts where id = $1',
      [talk.contactId],
    );
    return found[0]?.status;
  };
  return { ...talk, lose, standing };
};

describe('a phone that WhatsApp does not know', () => {
  it('is invalid after a second loss 7 days later, never after one, or two that are closer', async () => {
    await aRelay();
    const person = await losing(11);

    await person.lose(6);
    const once = await person.standing();
    await person.lose();
    const closer = await person.standing();
    await rows(`update messages set created_at = created_at - interval '2 days'`);
    await person.lose();

    expect([once, closer, await person.standing()]).toEqual(['unknown', 'unknown', 'invalid']);
  });

  it('stays what it is when the person was reached between the two', async () => {
    await aRelay();
    const person = await losing(21);
    const reached = await say(person.conversationId);
    await becomes(reached, 'failed');
    await rows(
      `update messages set status = 'delivered', error = null, created_at = created_at - interval '3 days' where id = $1`,
      [reached],
    );
    await person.lose(9);

    await person.lose();

    expect(await person.standing()).toBe('unknown');
  });
});
