import { describe, expect, it } from '@jest/globals';
import { exampleDraft } from '../../src/automations/examples.ts';
import { transact } from '../../src/db/transact.ts';
import { anActiveAutomation, aRun } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { opened } from '../support/opened.ts';
import { openShell, type Said } from '../support/shell.ts';

const shell = opened(() => openShell({ NODE_ENV: 'test' }));

const wms = (...args: string[]): Promise<Said> => shell.wmsInWords('automation', ...args);

const simple = (name: string) => ({
  name,
  trigger: { type: 'manual' },
  steps: [{ id: 'end', type: 'end' }],
});

describe('wms automation', () => {
  it('makes a draft of a file, changes it, turns it on and off', async () => {
    const made = await wms('create', '--file', shell.file(simple('Um')), '--json');
    const { id, status, version } = JSON.parse(made.out);
    expect([made.code, status, version]).toEqual([0, 'draft', 0]);

    const changed = await wms('update', id, '--file', shell.file({ name: 'Dois' }), '--json');
    expect(JSON.parse(changed.out)).toMatchObject({ id, name: 'Dois', version: 0 });
    const on = await wms('activate', id);
    expect(on.out).toBe(`automation ${id} (Dois) is active, version 1\n`);
    const { id: contactId } = await aContact(shell.ctx);
    await aRun(shell.ctx, { automationId: id, contactId });
    const off = await wms('deactivate', id, '--cancel', '--json');
    expect(JSON.parse(off.out)).toMatchObject({ id, status: 'inactive' });
  });

  it('starts one that is on by hand, for a contact', async () => {
    const { id } = await anActiveAutomation(shell.ctx, simple('Manual'));
    const { id: contactId } = await aContact(shell.ctx);
    const said = await wms('start', id, '--contact', contactId);
    expect([said.code, said.out]).toEqual([
      0,
      `automation ${id} begins for contact ${contactId}\n`,
    ]);
    const waiting = await transact(shell.ctx, (tx) =>
      tx.sql.rows('select automation_id, contact_id, trigger from automation_triggers'),
    );
    expect(waiting).toEqual([
      { automation_id: id, contact_id: contactId, trigger: { type: 'manual', ref: null } },
    ]);

    await wms('deactivate', id);
    const off = await wms('start', id, '--contact', contactId);
    const nobody = await wms('start', id, '--contact', 'con_nobody');
    expect([off.code, off.err, nobody.code]).toEqual([1, expect.stringContaining('inactive'), 1]);
  });

  it('says what keeps a draft from working, and where', async () => {
    const made = await wms('create', '--file', shell.file(exampleDraft));
    const id = /atm_\w+/.exec(made.out)?.[0] ?? '';

    const refused = await wms('activate', id);

    expect(made.out).toContain('error at steps[4].team_id: There is no such team.');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('steps[4].team_id');
  });

  it('names the places of a file that is no automation', async () => {
    const wrong = await wms(
      'create',
      '--file',
      shell.file({ ...simple('X'), steps: [{ id: 'x', type: 'y' }] }),
    );
    const unreadable = await wms('create', '--file', shell.file('{'));

    expect([wrong.code, wrong.err.split(':')[0]]).toEqual([1, 'steps[0].type']);
    expect(unreadable.err).toContain('cannot be read as JSON');
  });

  it('lists them, newest first', async () => {
    const { id } = await anActiveAutomation(shell.ctx, { name: 'Newest' });

    const { out } = await wms('list');

    expect(out.split('\n')[0]).toMatch(new RegExp(`^${id} +active +v1 +Newest$`));
  });
});
