import { afterEach, describe, expect, it } from '@jest/globals';
import { mergeContacts } from '../../../src/contacts/merging/merging.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { opened } from '../../support/opened.ts';
import { openTriggerScene } from './support/scene.ts';

const scene = opened(openTriggerScene);
afterEach(() => scene.silence());

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

/** How many runs of each. */
const started = (...names: string[]): Promise<number[]> =>
  Promise.all(names.map(async (name) => (await scene.runs(name)).length));

/** Corrects a message that we never heard. */
async function corrects(from: string): Promise<void> {
  const message = { type: 'text', text: { body: 'antes' } };
  await scene.writes(from, '', { type: 'edit', edit: { original_message_id: 'wamid.x', message } });
  await scene.act();
}

async function contactOf(phone: string): Promise<string> {
  const [row] = await scene.rows<{ id: string }>('select id from contacts where phone = $1', [
    `+${phone}`,
  ]);
  return row?.id ?? '';
}

async function calls(from: string, hoursAgo: number): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1_000) - hoursAgo * 3_600);
  const call = {
    id: 'wacid.1',
    from,
    to: '1',
    timestamp,
    event: 'connect',
    direction: 'USER_INITIATED',
  };
  const value = { metadata: { phone_number_id: scene.phoneNumberId }, calls: [call] };
  const changes = [{ field: 'calls', value }];
  await scene.stage.post({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] });
  await scene.stage.process();
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

  it('is the first after a correction that began the conversation, which alone opened it', async () => {
    await scene.automation('nova', { type: 'first_message' });
    await scene.automation('aberta', { type: 'conversation_opened' });
    await scene.automation('toda', { type: 'message_received' });
    const from = scene.aPhone();

    await corrects(from);
    expect(await started('aberta', 'nova', 'toda')).toEqual([1, 0, 0]);
    for (const text of ['oi', 'tudo bem?']) await says(from, text);

    expect(await started('aberta', 'nova', 'toda')).toEqual([1, 1, 2]);
  });

  it('is the first after calls, too', async () => {
    await scene.automation('ligou', { type: 'first_message' });
    const from = await writtenTo();

    for (const hoursAgo of [1, 0]) await calls(from, hoursAgo);
    await says(from, 'oi');
    await calls(from, 0);
    // Older than the plan keeps them.
    await scene.rows('delete from messages');
    await says(from, 'tudo bem?');

    expect(await scene.runs('ligou')).toHaveLength(1);
  });

  it('is none after one that the previous release took in, which knew of no calls', async () => {
    await scene.automation('antes', { type: 'first_message' });
    const from = await writtenTo();

    await calls(from, 1);
    await scene.rows(
      "update conversations set window_expires_at = window_expires_at + interval '1 minute'",
    );
    await says(from, 'tudo bem?');

    expect(await scene.runs('antes')).toEqual([]);
  });

  it('is none in a conversation that came with another contact of theirs, who had written', async () => {
    await scene.automation('duas', { type: 'first_message' });
    const from = await writtenTo();
    const other = await writtenTo();
    await calls(from, 0);
    await says(other, 'oi');
    await mergeContacts(scene.ctx, await contactOf(from), await contactOf(other));
    await scene.rows('delete from messages');

    await says(from, 'tudo bem?');

    expect(await scene.runs('duas')).toHaveLength(1);
  });
});
