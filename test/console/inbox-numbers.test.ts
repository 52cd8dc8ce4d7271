import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember } from '../support/members.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
let contactId: string;
let sales: string;

beforeAll(async () => {
  scene = await aConsoleScene();
  sales = (await aNumber(scene.ctx, { name: 'Balcão' })).id;
  contactId = (await aContact(scene.ctx, { name: 'Ana', phone: '+5511987654321' })).id;
});
afterAll(() => scene?.close());

const inbox = (): string => `${scene.base}/inbox`;

const read = async (path: string): Promise<string> => (await scene.people.agent.get(path)).text;

it('says of each conversation by which number it runs, once there are two', async () => {
  const one = await aConversation(scene.ctx, { numberId: sales, contactId });
  expect(await read(inbox())).not.toContain('Balcão');
  expect(await read(`${inbox()}/${one}`)).not.toContain('Balcão');

  const { id: numberId } = await aNumber(scene.ctx, { name: 'Encomendas' });
  const other = await aConversation(scene.ctx, { numberId, contactId });

  const list = await read(inbox());
  const filtered = await read(`${inbox()}?number=${numberId}`);
  const person = await read(`${scene.base}/contacts/${contactId}`);
  for (const [id, name] of [
    [one, 'Balcão'],
    [other, 'Encomendas'],
  ]) {
    expect(list).toMatch(
      new RegExp(`${id}#newest">Ana</a> </td><td data-label="Number">${name}</td>`),
    );
    expect(await read(`${inbox()}/${id}`)).toContain(`<dt>Number</dt><dd>${name}</dd>`);
    expect(person).toMatch(new RegExp(`/inbox/${id}#newest">[^<]+</a> ${name}</li>`));
  }
  expect([filtered.includes(one), filtered.includes(other)]).toEqual([false, true]);
});

it('leads from a conversation to the contact', async () => {
  const { id: numberId } = await aNumber(scene.ctx, { name: 'Vendas' });
  const id = await aConversation(scene.ctx, { numberId, contactId });

  expect(await read(`${inbox()}/${id}`)).toContain(
    `<a href="${scene.base}/contacts/${contactId}">Ana</a>`,
  );
});

it('names the campaign that sent a message, to those who see the campaign', async () => {
  const wishes = { name: 'Natal', number_id: sales, contact_ids: [contactId] };
  const campaign = await aCampaign(scene.ctx, wishes);
  const contact = await aContact(scene.ctx, { name: 'Bia' });
  const pair = { numberId: sales, contactId: contact.id };
  const id = await aConversation(scene.ctx, pair);
  const written = { ...pair, conversationId: id, status: 'sent' as const };
  const [messageId] = await someMessages(scene.ctx, { ...written, source: 'campaign' });
  await someMessages(scene.ctx, written);
  const who = { role: 'agent', visibility: 'teams', teams: ['Outra'] } as const;
  const { id: memberId, teamIds } = await aMember(scene.ctx, who);
  await transact(scene.ctx, async ({ sql }) => {
    await sql.rows('update messages set campaign_id = $2 where id = $1', [messageId, campaign.id]);
    await sql.rows('update conversations set assigned_team_id = $2 where id = $1', [
      id,
      teamIds[0],
    ]);
  });

  const all = await read(`${inbox()}/${id}`);
  const few = await (await scene.visitor(memberId)).get(`${inbox()}/${id}`);

  expect(all.match(/Campaign: <a href="[^"]*\/campaigns\/cmp_\w+">Natal<\/a>/g)).toHaveLength(1);
  expect([few.status, few.text.includes('Natal')]).toEqual([200, false]);
});
