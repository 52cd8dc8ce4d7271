import { describe, expect, it } from '@jest/globals';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { aContact } from '../support/factories/contacts.ts';
import { laneScene } from './support/lane.ts';

const { scene, rows, aRelay, aTalk, say, becomes } = laneScene();

/** The simulator loses every message to such a phone as one that is not in WhatsApp. */
const losing = async (area: number) => {
  const talk = await aTalk({ phone: `+55${area}980131026` });
  const lose = async (): Promise<void> => {
    await becomes(await say(talk.conversationId), 'failed');
  };
  const daysPass = (days: number): Promise<unknown[]> =>
    rows(
      `update contacts set no_whatsapp_since = no_whatsapp_since - $2 * interval '1 day' where id = $1`,
      [talk.contactId, days],
    );
  const standing = async (): Promise<unknown> => {
    const found = await rows<{ status: string }>(
      'select whatsapp_status as status from contacts where id = $1',
      [talk.contactId],
    );
    return found[0]?.status;
  };
  return { ...talk, lose, daysPass, standing };
};

describe('a phone that WhatsApp does not know', () => {
  it('is invalid after a second loss 7 days later, never after one, or two that are closer', async () => {
    await aRelay();
    const person = await losing(11);

    await person.lose();
    await person.daysPass(6.9);
    const once = await person.standing();
    await person.lose();
    const closer = await person.standing();
    await person.daysPass(0.2);
    await person.lose();

    expect([once, closer, await person.standing()]).toEqual(['unknown', 'unknown', 'invalid']);
  });

  it('stays so where somebody who hides theirs becomes one with its person', async () => {
    await aRelay();
    const person = await losing(12);
    await person.lose();
    await person.daysPass(7.1);
    const { id } = await aContact(scene.ctx, { phone: null });

    await mergeContacts(scene.ctx, id, person.contactId);
    await person.lose();

    expect(
      await rows('select whatsapp_status as status from contacts where id = $1', [id]),
    ).toEqual([{ status: 'invalid' }]);
  });
});
