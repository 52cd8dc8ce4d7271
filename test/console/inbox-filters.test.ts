import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { addTeam } from '../../src/members/teams.ts';
import { aContact, someContacts } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
let numberId: string;

beforeAll(async () => {
  scene = await aConsoleScene();
  numberId = (await aNumber(scene.ctx, { name: 'Vendas' })).id;
});
afterAll(() => scene?.close());

const list = (): string => `${scene.base}/inbox`;

const change = (id: string, set: string, values: readonly unknown[] = []): Promise<unknown> =>
  rowsOf(scene.ctx, `update conversations set ${set} where id = $1`, [id, ...values]);

/** The conversations that the page lists. */
const listedAt = async (query: string): Promise<string[]> => {
  const { text } = await scene.people.agent.get(list() + query);
  return [...text.matchAll(/href="[^"]*\/inbox\/(cnv_\w+)#newest"/g)].map(([, id = '']) => id);
};

/** Where the page's filters lead, by what they are called. */
const filtersOf = async (language: string): Promise<ReadonlyMap<string, string>> => {
  const { text } = await scene.people.agent.get(list(), { 'accept-language': language });
  const links = text.matchAll(/<li><a href="([^"]*\/inbox\?[^"]*)">([^<]*)<\/a>/g);
  return new Map([...links].map(([, href = '', name = '']) => [name, href]));
};

it('finds who wrote, however many conversations a campaign began since', async () => {
  const contact = await aContact(scene.ctx, { name: 'Ana' });
  const unread = await aConversation(scene.ctx, { numberId, contactId: contact.id });
  await change(unread, 'unread = 2');
  for (const { id: contactId } of await someContacts(scene.ctx, 60))
    await aConversation(scene.ctx, { numberId, contactId });

  const english = await filtersOf('en');
  const portuguese = await filtersOf('pt-BR');

  expect(await listedAt('')).not.toContain(unread);
  expect(english.get('unread')).toBe(`${list()}?unread=true`);
  expect(portuguese.get('não lidas')).toBe(`${list()}?unread=true`);
  expect(await listedAt('?unread=true')).toEqual([unread]);
});

it('offers what each team has, once there are teams', async () => {
  expect((await filtersOf('en')).has('no team')).toBe(false);
  const team = await addTeam(scene.ctx, 'Pós-venda');
  const contact = await aContact(scene.ctx, { name: 'Bia' });
  const id = await aConversation(scene.ctx, { numberId, contactId: contact.id });
  await change(id, 'assigned_team_id = $2', [team.id]);

  const filters = await filtersOf('en');

  expect(filters.get('Pós-venda')).toBe(`${list()}?team=${team.id}`);
  expect(await listedAt(`?team=${team.id}`)).toEqual([id]);
  expect(filters.get('no team')).toBe(`${list()}?team=none`);
  expect(await listedAt('?team=none')).not.toContain(id);
});

it('offers what each of the others has who can have conversations', async () => {
  const { id: memberId } = await aMember(scene.ctx);
  const contact = await aContact(scene.ctx, { name: 'Caio' });
  const id = await aConversation(scene.ctx, { numberId, contactId: contact.id });
  await change(id, 'assigned_member_id = $2', [memberId]);

  const targets = [...(await filtersOf('en')).values()];
  const { text } = await scene.people.agent.get(`${list()}?member=${memberId}`);

  expect(targets).toContain(`${list()}?member=${memberId}`);
  for (const { memberId: other } of [scene.people.agent, scene.people.viewer])
    expect(targets).not.toContain(`${list()}?member=${other}`);
  expect(await listedAt(`?member=${memberId}`)).toEqual([id]);
  expect(text).toMatch(/<details class="disclosure" open><summary>More filters/);
});
