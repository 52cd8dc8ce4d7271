import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { findOrCreateGroup } from '../../src/groups/service.ts';
import { newId } from '../../src/ids.ts';
import { addTeam } from '../../src/members/teams.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
let numberId: string;
let contactId: string;

beforeAll(async () => {
  scene = await aConsoleScene();
  numberId = (await aNumber(scene.ctx, { name: 'Vendas' })).id;
  contactId = (await aContact(scene.ctx, { name: 'Ana <b>', phone: '+5511987654321' })).id;
});
afterAll(() => scene?.close());

const list = (): string => `${scene.base}/inbox`;

async function aTalk(): Promise<string> {
  const contact = await aContact(scene.ctx, { name: 'Bia' });
  return aConversation(scene.ctx, { numberId, contactId: contact.id });
}

const rows = <R extends object>(text: string, params: unknown[]) =>
  rowsOf<R>(scene.ctx, text, params);

it('lists the conversations with who they are with, and filters them', async () => {
  const id = await aConversation(scene.ctx, { numberId, contactId });

  const all = await scene.people.agent.get(list());
  const closed = await scene.people.agent.get(`${list()}?status=closed`);
  const mine = await scene.people.agent.get(`${list()}?member=me`);

  expect(all.text).toContain(`href="${list()}/${id}#newest">Ana &lt;b&gt;</a>`);
  for (const { text } of [closed, mine]) expect(text).toContain('No conversation here.');
});

it('begins at the first page when the address names a place that no list has', async () => {
  const id = await aTalk();

  for (const at of [
    '+275760-09-13T00:00:00Z',
    '0000-01-01T00:00:00Z',
    'Nov 23',
    '2026-13-01T00:00:00Z',
  ]) {
    const page = await scene.people.agent.get(
      `${list()}?after=${encodeURIComponent(`${id}~${at}`)}`,
    );
    expect([at, page.status, page.text.includes(id)]).toEqual([at, 200, true]);
  }
});

it('shows the thread, and why a message was lost and what to do', async () => {
  const id = await aConversation(scene.ctx, {
    numberId,
    contactId: (await aContact(scene.ctx)).id,
  });
  const [messageId] = await someMessages(scene.ctx, {
    numberId,
    contactId,
    conversationId: id,
    status: 'failed',
  });
  const error = { reason: 'no_whatsapp', code: 'x', provider_code: null, message: 'x' };
  await rows('update messages set error = $2 where id = $1', [messageId, error]);

  const english = await scene.people.viewer.get(`${list()}/${id}`);
  const portuguese = await scene.people.viewer.get(`${list()}/${id}`, {
    'accept-language': 'pt-BR',
  });

  expect(english.text).toContain('This phone is not on WhatsApp.');
  expect(portuguese.text).toContain('Este telefone não está no WhatsApp.');
  expect(english.text).not.toContain('name="action"');
});

it('replies once, however often the same form is sent', async () => {
  const id = await aTalk();
  const page = await scene.people.agent.get(`${list()}/${id}`);
  const client_ref = /name="client_ref" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const words = { text: 'Sim, às nove.', client_ref };

  const first = await scene.people.agent.send(`${list()}/${id}`, 'reply', words);
  const again = await scene.people.agent.send(`${list()}/${id}`, 'reply', words);

  expect([first.status, again.status]).toEqual([303, 303]);
  const sent = await rows('select id from messages where conversation_id = $1', [id]);
  expect(sent).toHaveLength(1);
  expect((await scene.people.agent.get(`${list()}/${id}`)).text).toContain('Sim, às nove.');
});

it('offers no reply once the 24 hours are over, and refuses one', async () => {
  const contact = await aContact(scene.ctx, { name: 'Caio' });
  const windowed = await aNumber(scene.ctx, { window: true });
  const pair = { numberId: windowed.id, contactId: contact.id };
  const id = await aConversation(scene.ctx, pair);

  const { text } = await scene.people.agent.get(`${list()}/${id}`);
  const refused = await scene.people.agent.send(`${list()}/${id}`, 'reply', {
    text: 'Oi',
    client_ref: 'x',
  });

  expect(text).toContain('Free text is not possible now');
  expect([refused.status, refused.text.includes('role="alert"')]).toEqual([422, true]);
});

it('lets a reply be written as soon as the person writes, and takes nobody’s words away', async () => {
  const contact = await aContact(scene.ctx, { name: 'Duda' });
  const windowed = await aNumber(scene.ctx, { window: true });
  const id = await aConversation(scene.ctx, { numberId: windowed.id, contactId: contact.id });
  const address = `${list()}/${id}`;
  const { agent, admin } = scene.people;
  const poll = async (seen: string) => {
    const { text, headers } = await agent.get(`${address}?seen=${seen}`);
    const meanwhile = text.includes('meanwhile') || text.includes('Free text is not possible');
    return { reload: headers.get('hx-refresh'), meanwhile, as: /seen=(\w+)/.exec(text)?.[1] };
  };
  const until = (hours: number) =>
    rows(
      `update conversations set window_expires_at = now() + $2 * interval '1 hour' where id = $1`,
      [id, hours],
    );
  expect((await agent.get(address)).text).toContain('?seen=silent');
  await until(20);
  expect(await poll('silent')).toMatchObject({ reload: 'true' });
  expect(await poll('open')).toEqual({ reload: null, meanwhile: false, as: 'open' });

  await until(-1);
  expect(await poll('open')).toEqual({ reload: null, meanwhile: true, as: 'open' });
  await until(20);
  await admin.send(address, 'close');
  expect(await poll('open')).toEqual({ reload: null, meanwhile: true, as: 'open' });
  expect(await poll('silent')).toMatchObject({ reload: 'true' });

  await until(-1);
  const refused = await agent.send(address, 'reply', { text: 'Já vejo isso', client_ref: 'y' });
  expect([refused.status, refused.text.includes('Já vejo isso</textarea>')]).toEqual([422, true]);
});

/** Its conversation's id. */
const aGroup = async (name: string): Promise<string> => {
  const providerId = newId('grp');
  const { conversationId } = await transact(scene.ctx, (tx) =>
    findOrCreateGroup(tx, { numberId, providerId, name }, tx.now),
  );
  return conversationId;
};

it('names who wrote in a group', async () => {
  const conversationId = await aGroup('Fornecedores');
  await rows(
    `insert into messages (organization_id, id, conversation_id, number_id, direction, type, text, status, source,
       author, created_at)
     values ($1, $2, $3, $4, 'inbound', 'text', 'Chegou a farinha', 'received', 'contact', $5, now())`,
    [
      scene.ctx.organizationId,
      newId('msg'),
      conversationId,
      numberId,
      JSON.stringify({ type: 'contact', id: null, name: 'Moinho do Zé' }),
    ],
  );

  const { text } = await scene.people.agent.get(`${list()}/${conversationId}`);
  expect(text).toContain('<strong>Moinho do Zé</strong>');
});

it('says of a group that was left that it was, not that 24 hours are over', async () => {
  const conversationId = await aGroup('Antiga turma');
  await rows('update groups set left_at = now() where conversation_id = $1', [conversationId]);

  const { text } = await scene.people.agent.get(`${list()}/${conversationId}`);
  expect(text).toContain('the number left the group');
  expect(text).not.toContain('24 hours');
  expect(text).not.toContain('/template"');
});

it('knows every member and every group by name, however many there are', async () => {
  const { id: memberId } = await aMember(scene.ctx, { role: 'agent' });
  const nameless = await aGroup('');
  const first = await aGroup('Primeira turma');
  const inCharge = [first, nameless].map((id) =>
    rows('update conversations set assigned_member_id = $2 where id = $1', [id, memberId]),
  );
  await Promise.all(inCharge);
  for (let i = 0; i < 100; i += 1) {
    await aMember(scene.ctx, { role: 'viewer' });
    await aGroup(`Turma ${i}`);
  }

  const { text } = await scene.people.agent.get(`${list()}/${first}`);
  expect(text).toContain('<h1>Primeira turma</h1>');
  expect(text).toContain('<dd>Pessoa agent</dd>');
  expect((await scene.people.agent.get(`${list()}/${nameless}`)).text).toContain(
    '<h1>unknown</h1>',
  );
});

it('transfers to a team and to a member of it, closes and opens again', async () => {
  const team = await addTeam(scene.ctx, 'Vendas');
  const { id: memberId } = await aMember(scene.ctx, { teams: ['Vendas'] });
  const id = await aTalk();
  const address = `${list()}/${id}`;
  const { admin } = scene.people;

  const moved = await admin.send(address, 'transfer', { to: `${team.id}/${memberId}` });
  const wrong = await admin.send(address, 'transfer', { to: `${team.id}/${admin.memberId}` });
  const closed = await admin.send(address, 'close');
  const twice = await admin.send(address, 'close');
  const opened = await admin.send(address, 'reopen');

  expect([moved.status, closed.status, opened.status]).toEqual([303, 303, 303]);
  expect([wrong.status, twice.status]).toEqual([422, 409]);
  expect(wrong.text).toContain('<a href="#f-to">To: The team has no such member.</a>');
  expect(wrong.text).toContain('id="f-to-error">The team has no such member.</p>');
  // An open page is loaded anew when somebody closes the conversation; one with a refused form keeps what stands in it.
  expect(
    [wrong, opened, await admin.get(address)].map(({ text }) => text.includes('?seen=open')),
  ).toEqual([false, false, true]);
  const [row] = await rows<{ status: string }>('select status from conversations where id = $1', [
    id,
  ]);
  expect(row?.status).toBe('open');
  expect((await admin.get(address)).text).toContain('transferred');
});

it('shows a member only the conversations they see, and those of another workspace to nobody', async () => {
  const id = await aTalk();
  const { id: blindId } = await aMember(scene.ctx, { role: 'admin', visibility: 'assigned' });
  const blind = await scene.visitor(blindId);
  const other = await aWorkspace(scene.database);
  const number = await aNumber(other.ctx, { name: 'Deles' });
  const contact = await aContact(other.ctx, { name: 'Segredo' });
  const foreign = await aConversation(other.ctx, { numberId: number.id, contactId: contact.id });

  expect((await blind.get(list())).text).toContain('No conversation here.');
  expect((await blind.get(`${list()}/${id}`)).status).toBe(404);
  expect((await scene.people.owner.get(list())).text).not.toContain('Segredo');
  expect((await scene.people.owner.get(`${list()}/${foreign}`)).status).toBe(404);
});
