import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { system } from '../../src/access/actor.ts';
import { noteActivity } from '../../src/conversations/activities.ts';
import { handOver } from '../../src/conversations/assignment/handing-over.ts';
import { transferConversation } from '../../src/conversations/assignment/transferring.ts';
import { closeConversation } from '../../src/conversations/service.ts';
import { transact } from '../../src/db/transact.ts';
import { addTeam } from '../../src/members/teams.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember } from '../support/members.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
let numberId: string;
let teamId: string;

beforeAll(async () => {
  scene = await aConsoleScene();
  numberId = (await aNumber(scene.ctx)).id;
  teamId = (await addTeam(scene.ctx, 'Vendas')).id;
});
afterAll(() => scene?.close());

const aTalk = async (): Promise<string> =>
  aConversation(scene.ctx, { numberId, contactId: (await aContact(scene.ctx)).id });

const handed = (id: string, note: string): Promise<unknown> =>
  transact(scene.ctx, (tx) => handOver(tx, id, { teamId, memberId: null, note }));

const shown = async (id: string, query = '', language = 'en'): Promise<string> => {
  const wishes = { 'accept-language': language };
  return (await scene.people.agent.get(`${scene.base}/inbox/${id}${query}`, wishes)).text;
};

/** What happened, as the page tells it: without who did it and when. */
const happened = (text: string): string[] =>
  [...text.matchAll(/<li>([^<]*) <span class="soft">/g)].map(([, what = '']) => what);

const NOTE =
  '<dt>Note</dt><dd><span class="written">Quer um orçamento\nde &lt;bolo&gt;.</span></dd>';

it('tells by what the person came to write until it is closed', async () => {
  const id = await aTalk();
  const note = 'Bolo de <festa>\nhttps://fb.me/3cr4Wqqkv';
  await transact(scene.ctx, (tx) => noteActivity(tx, id, 'referred', { note }));
  await handed(id, '');

  const fact =
    '<dt>Came by</dt><dd><span class="written">Bolo de &lt;festa&gt;\nhttps://fb.me/3cr4Wqqkv</span></dd>';
  expect(await shown(id)).toContain(fact);
  await closeConversation(scene.ctx, id);
  expect(await shown(id)).not.toContain(fact);
});

it('tells to whom the conversation went, and what an automation says of it until it is closed', async () => {
  const id = await aTalk();
  await handed(id, 'Quer um orçamento\nde <bolo>.');
  const { id: memberId } = await aMember(scene.ctx, { teams: ['Vendas'] });
  await transferConversation(scene.ctx, id, { team_id: teamId, member_id: memberId });

  const text = await shown(id);
  await closeConversation(scene.ctx, id);
  const over = await shown(id);

  expect(happened(text)).toEqual(['transferred: Pessoa agent', 'handed over: Vendas']);
  expect(text).toContain(NOTE);
  expect(over).not.toContain(NOTE);
  for (const page of [text, over])
    expect(page).toContain('<p class="written">Quer um orçamento\nde &lt;bolo&gt;.</p>');
});

it('names what the service did by itself in the language of the reader', async () => {
  const id = await aTalk();
  await closeConversation({ ...scene.ctx, actor: system('idle closing') }, id);

  expect(await shown(id)).toContain('closed <span class="soft">idle closing, ');
  expect(await shown(id, '', 'pt-BR')).toContain(
    'encerrada <span class="soft">encerramento por inatividade, ',
  );
});

it('leads from the latest that happened to all that happened before', async () => {
  const id = await aTalk();
  await handed(id, 'O primeiro recado');
  for (let i = 0; i < 20; i += 1)
    await transact(scene.ctx, (tx) => noteActivity(tx, id, i % 2 ? 'reopened' : 'closed', {}));

  const latest = await shown(id);
  const [, query = ''] = /href="[^"]*(\?activities=\w+)">What happened before/.exec(latest) ?? [];
  const earlier = await shown(id, query);

  expect(happened(latest)).toHaveLength(20);
  expect(happened(earlier)).toEqual(['handed over: Vendas']);
  expect(earlier).toContain('<details class="disclosure" open>');
  expect(earlier).not.toContain('<dt>Note</dt>');
  expect(earlier).toContain(`href="${scene.base}/inbox/${id}">What happened last</a>`);
});
