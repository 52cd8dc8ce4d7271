import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { openTriggerScene, type TriggerScene } from './support/scene.ts';

let scene: TriggerScene;
beforeAll(async () => {
  scene = await openTriggerScene();
});
afterEach(() => scene.silence());
afterAll(() => scene.close());

/** Somebody to whom the team wrote first. */
async function writtenTo(): Promise<string> {
  const phone = scene.aPhone();
  const { id: contactId } = await aContact(scene.ctx, { phone: `+${phone}` });
  const id = await aConversation(scene.ctx, { numberId: scene.numberId, contactId });
  await scene.rows('update conversations set last_message_at = now() where id = $1', [id]);
  return phone;
}

const says = async (from: string, text: string): Promise<void> => {
  await scene.writes(from, text);
  await scene.act();
};

/** Corrects a message that we never heard. */
async function corrects(from: string): Promise<void> {
  const message = { type: 'text', text: { body: 'antes' } };
  await scene.writes(from, '', { type: 'edit', edit: { original_message_id: 'wamid.x', message } });
  await scene.act();
}

describe('the first message of a person', () => {
  it('is the first after a correction, too, and only once', async () => {
    await scene.automation('corrigida', { type: 'first_message' });
    const from = await writtenTo();

    await corrects(from);
    expect(await scene.runs('corrigida')).toEqual([]);
    await says(from, 'oi');
    await corrects(from);
    await says(from, 'tudo bem?');

    expect(await scene.runs('corrigida')).toHaveLength(1);
  });
});
