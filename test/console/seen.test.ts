import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { updateCampaign } from '../../src/campaigns/service.ts';
import { transact } from '../../src/db/transact.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { statementsWaiting } from '../support/waiting.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
let numberId: string;
let contactId: string;

beforeAll(async () => {
  scene = await aConsoleScene();
  numberId = (await aNumber(scene.ctx, { name: 'Vendas' })).id;
  contactId = (await aContact(scene.ctx, { name: 'Ana', phone: '+5511987654321' })).id;
});
afterAll(() => scene?.close());

const seenIn = (text: string): string => /name="seen" value="([^"]+)"/.exec(text)?.[1] ?? '';

const rows = <R extends object>(text: string, params: unknown[]): Promise<R[]> =>
  transact(scene.ctx, ({ sql }) => sql.rows<R>(text, params));

describe('a campaign', () => {
  const draft = () =>
    aCampaign(scene.ctx, { number_id: numberId, contact_ids: [contactId], text: 'Oi' });
  const statusOf = async (id: string) =>
    (await rows<{ status: string }>('select status from campaigns where id = $1', [id]))[0]?.status;
  const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);

  it.each([
    ['sent', 'send', 'sending'],
    ['scheduled', 'schedule', 'scheduled'],
  ])('is %s only as the person saw it', async (_, action, status) => {
    const { owner } = scene.people;
    const { id } = await draft();
    const address = `${scene.base}/campaigns/${id}`;
    const seen = seenIn((await owner.get(address)).text);
    await updateCampaign(scene.ctx, id, { text: 'Só hoje: tudo de graça' });

    const refused = await owner.send(address, action, { when: tomorrow(), seen });

    expect(refused.status).toBe(409);
    expect(refused.text).toContain('Somebody changed this after you opened the page');
    expect(refused.text).toContain('Só hoje: tudo de graça');
    expect(await statusOf(id)).toBe('draft');
    const known = { when: tomorrow(), seen: seenIn(refused.text) };
    expect((await owner.send(address, action, known)).status).toBe(303);
    expect(await statusOf(id)).toBe(status);
  });

  it('is not sent with a change that is being made just then', async () => {
    const { owner } = scene.people;
    const { id } = await draft();
    const { promise: sent, resolve } = Promise.withResolvers<number>();

    await transact(scene.ctx, async (tx) => {
      await updateCampaign(tx, id, { text: 'Outro' });
      owner.send(`${scene.base}/campaigns/${id}`, 'send').then(({ status }) => resolve(status));
      while ((await statementsWaiting(scene.database.app)) === 0) await sleep(20);
    });

    expect(await sent).toBe(409);
    expect(await statusOf(id)).toBe('draft');
  });
});
