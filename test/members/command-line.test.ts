import { describe, expect, it } from '@jest/globals';
import { listAudit } from '../../src/audit/reading.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { addMember } from '../../src/members/service.ts';
import { findInvitation } from '../../src/people/invitations.ts';
import { resetPassword } from '../../src/people/resets.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { openShell, type Said } from '../support/shell.ts';

const shell = opened(openShell);

const wms = (...args: string[]): Promise<Said> => shell.wms(...args);

const parts = () => ({
  database: shell.database,
  clock: { now: () => new Date(), skewMs: 0 },
});

const teamsOf = async (id: string): Promise<string[]> =>
  (await wms('team', 'list')).json
    .filter(({ member_ids }: { member_ids: string[] }) => member_ids.includes(id))
    .map(({ name }: { name: string }) => name);

const person = ['--email', 'bia@example.com', '--name', 'Bia', '--role', 'agent'];

describe('wms member', () => {
  it('adds a person, changes what they are, and lets them come and go', async () => {
    const added = await wms(
      'member',
      'add',
      ...person,
      '--password-file',
      shell.file('uma senha comprida\n'),
      '--team',
      'Vendas',
      '--visibility',
      'assigned',
    );
    const id = added.json.member_id;
    const [first] = (await wms('member', 'list')).json;
    const before = await teamsOf(id);
    const changed = await wms(
      'member',
      'change',
      id,
      '--visibility',
      'teams',
      '--team',
      'Suporte',
      '--option',
      'campaigns.send',
      '--capacity',
      '3',
    );
    const teams = await teamsOf(id);
    const options = await rowsOf(shell.ctx, 'select options from members where id = $1', [id]);
    await wms('member', 'online', id, '--minutes', '5');
    const listed = await wms('member', 'list');
    const suspended = await wms('member', 'suspend', id);
    const back = await wms('member', 'reactivate', id);
    const removed = await wms('member', 'remove', id);

    expect([first.visibility, before]).toEqual(['assigned', ['Vendas']]);
    expect(changed.json).toMatchObject({ member_id: id, visibility: 'teams', capacity: 3 });
    expect([teams, options]).toEqual([['Suporte'], [{ options: ['campaigns.send'] }]]);
    expect(listed.json[0]).toMatchObject({ id, online: true, visibility: 'teams' });
    expect([suspended.json.status, back.json.status]).toEqual(['suspended', 'active']);
    expect(removed.json).toEqual({ member_id: id, removed: true });
    expect((await wms('member', 'list')).json).toHaveLength(1);
  });

  it('gives a link to whoever has an account already, for they come in by accepting', async () => {
    const { ctx } = await aWorkspace(shell.database);
    const ana = { email: 'ana@example.com', name: 'Ana', role: 'agent' } as const;
    await addMember(ctx, { ...ana, password: 'uma senha comprida' });
    const words = ['--email', ana.email, '--name', ana.name, '--role', ana.role];

    const added = await wms('member', 'add', ...words, '--password', 'a senha de outra pessoa');

    const { member_id: memberId, status, invitation } = added.json;
    const [, token = ''] =
      /^http:\/\/localhost:3000\/invitations\/([\w-]{43})$/.exec(invitation) ?? [];
    expect(status).toBe('invited');
    expect(await findInvitation(parts(), token)).toMatchObject({ memberId, hasPassword: true });
  });

  it('gives a link to whoever is given no password, too', async () => {
    const words = ['--email', 'caio@example.com', '--name', 'Caio', '--role', 'viewer'];

    const added = await wms('member', 'add', ...words);

    expect(added.json).toMatchObject({
      status: 'invited',
      invitation: expect.stringMatching(/\/invitations\/[\w-]{43}$/),
    });
  });

  it('gives another link to whoever lost theirs, which ends the one before', async () => {
    const words = ['--email', 'duda@example.com', '--name', 'Duda', '--role', 'viewer'];
    const { member_id: id, invitation: first } = (await wms('member', 'add', ...words)).json;

    const { invitation } = (await wms('member', 'invite', id)).json;

    const found = (link: string) => findInvitation(parts(), link.slice(-43));
    await expect(found(first)).rejects.toMatchObject({ code: 'not_found' });
    expect(await found(invitation)).toMatchObject({ memberId: id });
  });

  it('gives a link by which somebody who is in chooses a new password, and the log says so', async () => {
    const words = ['--email', 'eva@example.com', '--name', 'Eva', '--role', 'viewer'];
    const { member_id: id } = (
      await wms('member', 'add', ...words, '--password', 'uma senha comprida')
    ).json;
    const invited = (
      await wms('member', 'add', '--email', 'f@example.com', '--name', 'F', '--role', 'viewer')
    ).json;

    const { link } = (await wms('member', 'reset-password', id)).json;
    const refused = [
      await wms('member', 'reset-password', invited.member_id),
      await wms('member', 'invite', id),
    ];

    const [, token = ''] =
      /^http:\/\/localhost:3000\/reset-password\/([\w-]{43})$/.exec(link) ?? [];
    const request = { id: 'req_1', ip: null, userAgent: null };
    await resetPassword(parts(), { token, password: 'outra senha comprida', request });
    for (const { json } of refused) expect(json.error).toMatchObject({ code: 'invalid_state' });
    const log = await inWorkspace(shell.database, shell.ctx.organizationId, (sql) =>
      listAudit({ sql, organizationId: shell.ctx.organizationId }, { before: null, limit: 2 }),
    );
    expect(log.map(({ action }) => action)).toEqual([
      'member.password_reset',
      'member.password_link_made',
    ]);
  });

  it('takes a password from one place alone', async () => {
    const both = ['--password', 'uma senha comprida', '--password-file', shell.file('outra senha')];

    const refused = await wms('member', 'add', ...person, ...both);

    expect([refused.code, refused.json.error]).toEqual([
      1,
      { code: 'usage', message: expect.stringContaining('--password-file') },
    ]);
  });

  it('keeps the last owner, and says why', async () => {
    const refused = await wms('member', 'change', shell.ownerId, '--role', 'viewer');

    expect([refused.code, refused.json.error.code]).toEqual([1, 'last_owner']);
  });

  it('names what is wrong', async () => {
    const refused = await wms(
      'member',
      'change',
      shell.ownerId,
      '--capacity',
      'many',
      '--role',
      'boss',
    );

    expect(refused.json.error).toMatchObject({ code: 'validation' });
    expect(refused.json.error.details.map(({ path }: { path: string }) => path)).toEqual([
      'role',
      'capacity',
    ]);
  });
});

describe('wms team', () => {
  it('adds, changes, lists and removes teams', async () => {
    const { team_id } = (await wms('team', 'add', 'Entregas')).json;
    const changed = await wms(
      'team',
      'change',
      team_id,
      '--name',
      'Entrega',
      '--auto-assign',
      'on',
      '--return-after',
      '15',
    );
    const listed = await wms('team', 'list');
    const wrong = await wms('team', 'change', team_id, '--auto-assign', 'maybe');
    const off = ['--auto-assign', 'off', '--return-after', 'off'];
    const turnedOff = await wms('team', 'change', team_id, ...off);
    const removed = await wms('team', 'remove', team_id);

    expect(turnedOff.json).toMatchObject({ auto_assign: false, return_after_minutes: null });
    expect(changed.json).toEqual({
      team_id,
      name: 'Entrega',
      auto_assign: true,
      return_after_minutes: 15,
    });
    expect(listed.json[0]).toMatchObject({ id: team_id, name: 'Entrega', member_ids: [] });
    expect(wrong.code).toBe(1);
    expect(removed.json).toEqual({ team_id, removed: true });
  });
});
