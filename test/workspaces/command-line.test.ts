import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { findInvitation } from '../../src/people/invitations.ts';
import { verifyPassword } from '../../src/people/passwords.ts';
import { someContacts } from '../support/factories/contacts.ts';
import { opened } from '../support/opened.ts';
import { openShell } from '../support/shell.ts';

const shell = opened(openShell);

describe('wms workspace create', () => {
  const words = ['workspace', 'create', '--name', 'Padaria Aurora', '--plan', 'escala', '--json'];
  const passwordOf = async (email: string): Promise<string> => {
    const { rows } = await shell.database.system.query<{ password_hash: string }>(
      'select password_hash from people where email = $1',
      [email],
    );
    return rows[0]?.password_hash ?? '';
  };

  it("reads the owner's password, so that no list of processes and no log has it", async () => {
    const owner = ['--owner-email', 'rui@example.com', '--owner-password-file', '-'];

    const created = await shell.wmsReading(' uma senha comprida\n', ...words, ...owner);

    expect(created.json).toMatchObject({
      workspace_id: expect.stringMatching(/^org_/),
      invitation: null,
    });
    const hash = await passwordOf('rui@example.com');
    expect(await verifyPassword(' uma senha comprida', hash)).toBe(true);
  });

  it('invites the first owner by a link where no password is given, as everybody else', async () => {
    const owner = ['--owner-email', 'bia@example.com'];

    const created = await shell.wmsAnywhere(...words, ...owner);
    const said = await shell.wmsAnywhere(...words.slice(0, -1), ...owner);

    const { workspace_id, owner_member_id, owner_has_account, invitation } = created.json;
    expect(owner_has_account).toBeNull();
    const [, token = ''] = /\/invitations\/([\w-]+)$/.exec(invitation) ?? [];
    const clock = { now: () => new Date(), skewMs: 0 };
    const invited = await findInvitation({ database: shell.database, clock }, token);
    expect(invited).toMatchObject({
      organizationId: workspace_id,
      memberId: owner_member_id,
      email: 'bia@example.com',
      hasPassword: false,
    });
    expect(said.out).toMatch(/owner {5}mem_\w+, who joins within 7 days by http\S+\n$/);
  });
});

describe('wms workspace set', () => {
  it('sets what is given alone, and refuses what cannot be', async () => {
    const set = await shell.wms('workspace', 'set', '--idle-close', '24');
    const place = [
      '--name',
      'Padaria Boreal',
      '--time-zone',
      'Europe/Lisbon',
      '--language',
      'pt-PT',
    ];
    const moved = await shell.wms('workspace', 'set', ...place);
    const refused = ['--idle-close', '0', '--time-zone', '-03:00', '--language', 'português'];
    const wrong = await shell.wms('workspace', 'set', ...refused);
    const off = await shell.wms('workspace', 'set', '--idle-close', 'off');

    const name = expect.any(String);
    const before = { time_zone: 'America/Sao_Paulo', language: 'pt-BR' };
    const after = { time_zone: 'Europe/Lisbon', language: 'pt-PT' };
    expect(set.json).toEqual({ name, idle_close_hours: 24, ...before });
    expect(moved.json).toEqual({ name: 'Padaria Boreal', idle_close_hours: 24, ...after });
    expect([wrong.code, wrong.json.error.code]).toEqual([1, 'validation']);
    expect(wrong.json.error.details.map(({ path }: { path: string }) => path)).toEqual([
      'idle_close_hours',
      'time_zone',
      'language',
    ]);
    expect(off.json).toEqual({ name: 'Padaria Boreal', idle_close_hours: null, ...after });
  });
});

describe('wms workspace verify-audit', () => {
  it('names the first entry that was changed behind its back, and fails', async () => {
    await someContacts(shell.ctx, 3);
    const whole = await shell.wms('workspace', 'verify-audit');
    const owner = new pg.Client({ connectionString: shell.databaseUrl });
    await owner.connect();
    await owner.query('alter table audit_entries no force row level security');
    await owner.query(
      "update audit_entries set actor = '{}' where organization_id = $1 and seq = 3",
      [shell.ctx.organizationId],
    );
    await owner.query('alter table audit_entries force row level security');
    await owner.end();

    const broken = await shell.wms('workspace', 'verify-audit');
    const said = await shell.wmsInWords('workspace', 'verify-audit');

    const { organizationId } = shell.ctx;
    expect([whole.code, whole.json.workspace_id]).toEqual([0, organizationId]);
    expect(whole.json.broken_at).toBeNull();
    expect([broken.code, broken.json]).toEqual([
      1,
      { workspace_id: organizationId, entries: 2, broken_at: 3 },
    ]);
    expect([said.code, said.out]).toEqual([
      1,
      'entry 3 of the audit log was changed or is missing; the 2 before it are as they were written\n',
    ]);
  });
});
