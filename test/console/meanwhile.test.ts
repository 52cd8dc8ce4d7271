import { describe, expect, it } from '@jest/globals';
import { getContact, updateContact } from '../../src/contacts/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { newId } from '../../src/ids.ts';
import { updateMember } from '../../src/members/changing.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { filledIn } from './support/forms.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const rows = <R>(text: string, params: unknown[] = []) => rowsOf<R>(scene.ctx, text, params);
const teamId = async (name: string): Promise<string> =>
  (await rows<{ id: string }>('select id from teams where name = $1', [name]))[0]?.id ?? '';

describe('members in the console', () => {
  const place = (id: string): string => `${scene.base}/members/${id}`;
  const stateOf = async (id: string) =>
    (await rows('select name, role, visibility, options from members where id = $1', [id]))[0];

  it('keep what a colleague changed meanwhile, and no team comes back', async () => {
    const { admin, owner } = scene.people;
    const teams = ['Massas', 'Doces', 'Forno'];
    const { id } = await aMember(scene.ctx, { role: 'agent', teams });
    const shown = filledIn((await owner.get(place(id))).text, 'save');
    const [masses, sweets, oven] = await Promise.all(teams.map(teamId));
    await admin.send(`${scene.base}/teams`, 'save', { id: masses ?? '', name: 'Pães' });
    await admin.send(`${scene.base}/teams`, 'remove', { id: oven ?? '' });
    await updateMember(scene.ctx, id, { role: 'viewer', visibility: 'teams' });

    const wish = { ...shown, name: 'Rita', team_ids: [masses ?? '', oven ?? ''] };
    const saved = await owner.send(place(id), 'save', wish);

    expect(saved.status).toBe(303);
    expect(await stateOf(id)).toMatchObject({ name: 'Rita', role: 'viewer', visibility: 'teams' });
    const member = await rows('select team_id from team_members where member_id = $1', [id]);
    expect(member).toEqual([{ team_id: masses }]);
    expect(await rows('select 1 from teams where name = any($1)', [teams])).toHaveLength(1);
    const gone = { ...filledIn((await owner.get(place(id))).text, 'save'), team_ids: [oven ?? ''] };
    const refused = await owner.send(place(id), 'save', gone);
    expect([refused.status, refused.text.includes('<a href="#f-team-ids">')]).toEqual([422, true]);
    expect(sweets).not.toBe('');
  });

  it('gain and lose only the options that were ticked and unticked', async () => {
    const { owner } = scene.people;
    const { id } = await aMember(scene.ctx, { role: 'agent', options: ['campaigns.create'] });
    const shown = filledIn((await owner.get(place(id))).text, 'save');
    await updateMember(scene.ctx, id, { options: ['campaigns.create', 'campaigns.send'] });

    await owner.send(place(id), 'save', { ...shown, options: [] });

    expect(await stateOf(id)).toMatchObject({ options: ['campaigns.send'] });
  });

  it('have no options once they are no Agents, whatever was ticked before that was chosen', async () => {
    const { owner } = scene.people;
    const { id } = await aMember(scene.ctx, { role: 'agent', options: ['campaigns.create'] });
    const shown = filledIn((await owner.get(place(id))).text, 'save');
    const options = ['campaigns.create', 'campaigns.send'];

    const saved = await owner.send(place(id), 'save', { ...shown, role: 'admin', options });

    expect(saved.status).toBe(303);
    expect(await stateOf(id)).toMatchObject({ role: 'admin', options: [] });
  });
});

it('adds and takes out tags one by one, whatever stands in them and whoever else does', async () => {
  const { agent } = scene.people;
  const { id } = await aContact(scene.ctx, { tags: ['bolo, sem leite', 'vip'] });
  const address = `${scene.base}/contacts/${id}`;
  const contact = () =>
    inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
      getContact({ ...scene.ctx, sql }, id),
    );
  const shown = filledIn((await agent.get(address)).text, 'save');
  expect(shown['tags']).toBe('bolo, sem leite\nvip');
  await updateContact(scene.ctx, id, { tags: ['bolo, sem leite', 'vip', 'natal'] });

  const saved = await agent.send(address, 'save', {
    ...shown,
    tags: 'bolo, sem leite\r\n  praia  \r\n',
  });

  expect(saved.status).toBe(303);
  expect((await contact()).tags).toEqual(['bolo, sem leite', 'natal', 'praia']);
});

describe('of what a colleague changed meanwhile', () => {
  it('a contact keeps all, also where the form was refused for something else in between', async () => {
    const { agent, admin } = scene.people;
    const { id } = await aContact(scene.ctx, { name: 'Ana', phone: '+5511987650042' });
    const address = `${scene.base}/contacts/${id}`;
    const shown = filledIn((await agent.get(address)).text, 'save');
    await admin.send(address, 'save', { ...shown, notes: 'Sem glúten' });

    const refused = await agent.send(address, 'save', { ...shown, name: 'Ana S.', phone: '12' });
    const mended = { ...filledIn(refused.text, 'save'), phone: '+5511987650042' };
    const saved = await agent.send(address, 'save', mended);

    expect([refused.status, saved.status]).toEqual([422, 303]);
    expect(await rows('select name, notes from contacts where id = $1', [id])).toEqual([
      { name: 'Ana S.', notes: 'Sem glúten' },
    ]);
  });

  it('a team keeps its rules, and other teams are shown as they are beside a refusal', async () => {
    const { admin, owner } = scene.people;
    const address = `${scene.base}/teams`;
    for (const name of ['Balcão', 'Caixa']) await owner.send(address, 'add', { name });
    const [counter = '', till = ''] = await Promise.all(['Balcão', 'Caixa'].map(teamId));
    const formOf = (page: string, id: string) => filledIn(page, 'save', `value="${id}"`);
    const shown = formOf((await owner.get(address)).text, counter);
    await admin.send(address, 'save', { ...shown, auto_assign: 'on', return_after_minutes: '30' });

    const saved = await owner.send(address, 'save', { ...shown, name: 'Loja' });

    expect(saved.status).toBe(303);
    expect(
      await rows('select name, auto_assign, return_after_minutes from teams where id = $1', [
        counter,
      ]),
    ).toEqual([{ name: 'Loja', auto_assign: true, return_after_minutes: 30 }]);
    const now = formOf((await owner.get(address)).text, till);
    const refused = await owner.send(address, 'save', { ...shown, name: 'Caixa' });
    expect(refused.status).toBe(409);
    expect(formOf(refused.text, till)).toEqual(now);
  });

  it('a workspace keeps its other settings', async () => {
    const { admin, owner } = scene.people;
    const address = `${scene.base}/settings`;
    const shown = filledIn((await owner.get(address)).text, 'save');
    await admin.send(address, 'save', { ...shown, idle_close_hours: '12' });

    await owner.send(address, 'save', { ...shown, language: 'en-GB' });

    expect(await rows('select language, idle_close_hours as hours from workspaces')).toEqual([
      { language: 'en-GB', hours: 12 },
    ]);
  });
});

it('leaves a page alone in which somebody may be writing, and says that they are signed out', async () => {
  const open = [`/automations/${newId('atm')}`, `/inbox/${newId('cnv')}?seen=open`];
  for (const page of ['/webhooks/new', ...open]) {
    const { headers } = await fetch(`${scene.api.url}${scene.base}${page}`, {
      headers: { 'hx-request': 'true' },
    });
    expect([headers.get('hx-redirect'), headers.get('hx-retarget')]).toEqual([null, '#away']);
  }
});

it('shows a new key although another tab refreshes a part of itself before', async () => {
  const { owner } = scene.people;
  const keys = `${scene.base}/api-keys`;
  const wish = { name: 'ERP', lifetime: '90d', scopes: ['contacts:read'] };
  await owner.send(`${keys}/new`, 'create', wish);

  await owner.get(`${scene.base}/inbox`, { 'hx-request': 'true' });

  expect((await owner.get(keys)).text).toMatch(/sk_live_[0-9a-f]{32}/);
  expect((await owner.get(keys)).text).not.toMatch(/sk_live_[0-9a-f]{32}/);
});
