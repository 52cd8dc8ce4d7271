import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await aConsoleScene();
});
afterAll(() => scene?.close());

const ticked = async (): Promise<number> => {
  const { text } = await scene.people.owner.get(scene.base);
  return text.match(/<li class="done">/g)?.length ?? 0;
};

describe('the first page', () => {
  it('ticks each first step when it happens, and is without the list once all are done', async () => {
    const { ctx } = scene;
    expect(await ticked()).toBe(0);
    const { id: numberId } = await aNumber(ctx, { name: 'Vendas' });
    expect(await ticked()).toBe(1);
    await anApiKey(ctx);
    expect(await ticked()).toBe(2);
    await anEndpoint(ctx, 'http://127.0.0.1:9/hooks');
    expect(await ticked()).toBe(3);
    const { id: contactId } = await aContact(ctx, { name: 'Ana' });
    const conversationId = await aConversation(ctx, { numberId, contactId });
    const sent = { numberId, contactId, conversationId, sentAt: new Date() };
    await someMessages(ctx, { ...sent, count: 3, status: 'delivered' });

    const { text } = await scene.people.owner.get(scene.base);
    expect(text).not.toContain('First steps');
    expect(text).toContain('<dt>Delivered</dt><dd>3');
  });

  it('shows the list to nobody who can do nothing about it', async () => {
    expect((await scene.people.agent.get(scene.base)).text).not.toContain('First steps');
  });
});
