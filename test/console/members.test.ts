import { describe, expect, it } from '@jest/globals';
import { ROLES } from '../../src/access/roles.ts';
import { newId } from '../../src/ids.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { filledIn } from './support/forms.ts';
import { aConsoleScene, type Visitor } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const rows = <R>(text: string, params: unknown[] = []) => rowsOf<R>(scene.ctx, text, params);
const place = (id: string): string => `${scene.base}/members/${id}`;
const stateOf = async (id: string) =>
  (
    await rows(
      'select name, role, visibility, capacity, status, options from members where id = $1',
      [id],
    )
  )[0];

const teamId = async (name: string): Promise<string> =>
  (await rows<{ id: string }>('select id from teams where name = $1', [name]))[0]?.id ?? '';

describe('members in the console', () => {
  it('are changed with their teams and options, and everything stands in the log', async () => {
    const { id } = await aMember(scene.ctx, { role: 'agent', teams: ['Vendas'] });
    await scene.people.owner.send(`${scene.base}/teams`, 'add', { name: 'Entrega' });

    const shown = filledIn((await scene.people.admin.get(place(id))).text, 'save');
    const { status } = await scene.people.admin.send(place(id), 'save', {
      ...shown,
      name: 'Bia Ramos',
      role: 'agent',
      visibility: 'teams',
      team_ids: [await teamId('Entrega')],
      options: ['campaigns.create'],
      capacity: '25',
    });

    expect(status).toBe(303);
    expect(await stateOf(id)).toEqual({
      name: 'Bia Ramos',
      role: 'agent',
      visibility: 'teams',
      capacity: 25,
      status: 'active',
      options: ['campaigns.create'],
    });
    const { text } = await scene.people.admin.get(place(id));
    expect(text).toContain('Saved.');
    expect(text).toMatch(new RegExp(`value="${await teamId('Entrega')}" checked`));
    expect(text).not.toMatch(new RegExp(`value="${await teamId('Vendas')}" checked`));
    const log = await scene.people.owner.get(`${scene.base}/audit`);
    expect(log.text).toContain('/audit?action=member.updated"');
    expect(log.text).toContain('Bia Ramos');
  });

  it('have a way back to the first page on a later one', async () => {
    const { owner } = scene.people;
    const later = await owner.get(`${scene.base}/members?after=${newId('mem')}`);

    expect(later.text).toContain(`href="${scene.base}/members">First page</a>`);
    expect((await owner.get(`${scene.base}/members`)).text).not.toContain('First page');
  });

  it('are invited by a mail with a link, and invited again', async () => {
    const { admin } = scene.people;
    const path = `${scene.base}/members`;
    const wish = { email: 'bia@example.com', name: 'Bia', role: 'agent' };
    expect((await admin.send(path, 'invite', wish)).status).toBe(303);
    expect((await admin.get(path)).text).toContain('on its way to bia@example.com');
    const [kept] = await rows<{ id: string; status: string }>(
      "select id, status from members where email = 'bia@example.com'",
    );
    expect(kept?.status).toBe('invited');
    const offered = async (id: string): Promise<boolean> =>
      (await admin.get(place(id))).text.includes('value="invite_again"');
    expect(await offered(kept?.id ?? '')).toBe(true);
    expect(await offered(scene.people.agent.memberId)).toBe(false);
    await admin.send(place(kept?.id ?? ''), 'invite_again');

    const sent = scene.mails.filter(({ to }) => to === 'bia@example.com');
    const links = sent.map(
      ({ text }) => /http:\/\/console\.test\/invitations\/\S+/.exec(text)?.[0],
    );
    expect(links).toHaveLength(2);
    expect(new Set(links).size).toBe(2);
    const twice = await admin.send(path, 'invite', wish);
    expect([twice.status, twice.text.includes('value="bia@example.com"')]).toEqual([409, true]);
    expect(twice.text).toContain('<a href="#f-email">');
    expect((await admin.send(path, 'invite', { ...wish, role: 'owner' })).status).toBe(403);
    expect((await scene.people.agent.send(path, 'invite', wish)).status).toBe(403);
  });

  it('keep what they were when a field is wrong', async () => {
    const { id } = await aMember(scene.ctx, { role: 'agent' });
    const before = await stateOf(id);
    const sent = { name: ' ', role: 'agent', visibility: 'all', capacity: '10' };

    const { status, text } = await scene.people.owner.send(place(id), 'save', sent);

    expect(status).toBe(422);
    expect(text).toContain('<a href="#f-name">');
    expect(text).toContain('<a href="#f-visibility">');
    const shown = filledIn((await scene.people.owner.get(place(id))).text, 'save');
    const rough = await scene.people.owner.send(place(id), 'save', { ...shown, capacity: '1e2' });
    expect(rough.text).toContain('id="f-capacity-error">Write a whole number.');
    expect(await stateOf(id)).toEqual(before);
  });

  it('are suspended, let in again and removed', async () => {
    const { id } = await aMember(scene.ctx, { role: 'agent' });
    await rows("update members set status = 'active' where id = $1", [id]);
    await scene.people.owner.send(place(id), 'suspend');
    expect(await stateOf(id)).toMatchObject({ status: 'suspended' });
    await scene.people.owner.send(place(id), 'reactivate');
    expect((await stateOf(id)) as { status: string }).not.toMatchObject({ status: 'suspended' });
    const done = await scene.people.owner.send(place(id), 'remove');
    expect(done.headers.get('location')).toBe(`${scene.base}/members`);
    expect(await stateOf(id)).toBeUndefined();
  });

  it.each(['suspend', 'remove'])(
    'may %s themselves, and are led out of the workspace',
    async (leave) => {
      const { id } = await aMember(scene.ctx, { role: 'admin' });
      await rows("update members set status = 'active' where id = $1", [id]);
      const admin = await scene.visitor(id);

      const left = await admin.send(place(id), leave);

      expect([left.status, left.headers.get('location')]).toEqual([303, '/console']);
      expect((await admin.get('/console')).status).toBe(200);
      expect((await admin.get(place(id))).status).toBe(404);
    },
  );

  it('that are Owners are out of reach of Admins, and one Owner always stays', async () => {
    const { admin, owner } = scene.people;
    expect((await admin.get(place(owner.memberId))).text).not.toContain('name="action"');
    const offersOwner = async (by: Visitor): Promise<boolean> =>
      (await by.get(`${scene.base}/members`)).text.includes('<option value="owner"');
    expect([await offersOwner(admin), await offersOwner(owner)]).toEqual([false, true]);
    for (const action of ['save', 'suspend', 'remove'])
      expect((await admin.send(place(owner.memberId), action)).status).not.toBe(303);
    expect(await stateOf(owner.memberId)).toMatchObject({ role: 'owner', status: 'active' });
  });

  it('are managed by nobody who may only look', async () => {
    const { id } = await aMember(scene.ctx, { role: 'viewer' });
    for (const role of ROLES.filter((name) => name === 'agent' || name === 'viewer')) {
      const person = scene.people[role];
      expect((await person.get(place(id))).text).not.toContain('name="action"');
      expect((await person.send(place(id), 'remove')).status).toBe(403);
      expect((await person.send(`${scene.base}/teams`, 'add', { name: 'X' })).status).toBe(403);
    }
    expect(await stateOf(id)).toMatchObject({ status: 'active' });
    expect(await rows("select id from teams where name = 'X'")).toEqual([]);
  });

  it('of another workspace are neither shown nor changed', async () => {
    const other = await aWorkspace(scene.database);
    const { owner } = scene.people;
    expect((await owner.get(place(other.ownerId))).status).toBe(404);
    expect((await owner.send(place(other.ownerId), 'suspend')).status).toBe(404);
  });
});

describe('teams in the console', () => {
  it('are added, changed and removed', async () => {
    const { owner } = scene.people;
    const path = `${scene.base}/teams`;
    await owner.send(path, 'add', { name: 'Caixa' });
    const [team] = await rows<{ id: string }>("select id from teams where name = 'Caixa'");
    const id = team?.id ?? '';

    const again = await owner.send(path, 'add', { name: 'caixa' });
    expect([again.status, again.text.includes('A team has this name already.')]).toEqual([
      409,
      true,
    ]);
    expect(again.text).toContain('<a href="#f-name">');
    expect(again.text).toContain('id="f-name-error"');
    await owner.send(path, 'save', {
      id,
      name: 'Caixas',
      auto_assign: 'on',
      return_after_minutes: '15',
    });
    const settings = 'select name, auto_assign, return_after_minutes from teams where id = $1';
    expect(await rows(settings, [id])).toEqual([
      { name: 'Caixas', auto_assign: true, return_after_minutes: 15 },
    ]);
    const shown = filledIn((await owner.get(path)).text, 'save', `value="${id}"`);
    await owner.send(path, 'save', { ...shown, auto_assign: [], return_after_minutes: '' });
    expect(await rows(settings, [id])).toEqual([
      { name: 'Caixas', auto_assign: false, return_after_minutes: null },
    ]);
    await owner.send(path, 'remove', { id });
    expect(await rows(settings, [id])).toEqual([]);
  });

  it('that are refused stand open with what was sent, and the summary leads to the field of that row', async () => {
    const { owner } = scene.people;
    const path = `${scene.base}/teams`;
    for (const name of ['Forno', 'Balcão']) await owner.send(path, 'add', { name });
    const [team] = await rows<{ id: string }>("select id from teams where name = 'Forno'");
    const id = team?.id ?? '';
    const wrong = { id, name: ' ', return_after_minutes: '30' };

    const { status, text } = await owner.send(path, 'save', wrong);

    const field = `f-name-${id.replace('_', '-')}`;
    expect(status).toBe(422);
    expect(text).toContain(`<a href="#${field}">`);
    expect(text).toMatch(new RegExp(`id="${field}"[^>]* aria-describedby="${field}-error"`));
    expect(text).toContain('value="30"');
    expect(text.match(/<details [^>]*open>/g)).toHaveLength(1);
  });
});

describe('the audit log in the console', () => {
  it('goes back page by page to the first entry, and shows nobody else’s', async () => {
    const other = await aWorkspace(scene.database, { name: 'Segredo' });
    await aMember(other.ctx, { role: 'agent' });
    for (let n = 0; n < 55; n += 1)
      await scene.people.owner.send(`${scene.base}/teams`, 'add', { name: `T${n}` });
    let path: string | undefined = `${scene.base}/audit`;
    let seen = '';
    while (path) {
      const { text } = await scene.people.owner.get(path);
      seen += text;
      path = /href="([^"]*audit\?before=\d+)"/.exec(text)?.[1];
    }
    expect(seen).toContain('workspace.created');
    expect(seen).not.toContain('Segredo');
    const [count] = await rows<{ n: number }>('select count(*)::int as n from audit_entries');
    expect(seen.match(/<tr><td/g)).toHaveLength(count?.n ?? 0);
  });
});
