import { describe, expect, it } from '@jest/globals';
import { contactImportRoutes } from '../../src/contacts/imports/routes.ts';
import { importSome } from '../../src/contacts/imports/steps.ts';
import { removeMember } from '../../src/members/removing.ts';
import { openApi } from '../support/api.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { contextsOf, imported } from './support/imports.ts';

const door = opened(() => openApi({ routes: contactImportRoutes }));
const rows = <R>(text: string): Promise<R[]> => rowsOf<R>(door.ctx, text);

/** Who is named by what the import of one person who wants no messages has done, and who started it. */
async function doneBy(key: string, phone: string, meanwhile = async () => {}) {
  const { id: importId } = await imported(door.api, key, `name,phone,opted_out\nZoe,${phone},true`);
  await meanwhile();
  const { organizationId } = door.ctx;
  await importSome(contextsOf(door.database), { organizationId, importId }, () => true);
  const events = await rows<{ by: unknown }>(
    `select payload::jsonb -> 'data' -> 'created_by' as by from facts where type = 'contact.created' and payload like '%${phone}%'`,
  );
  const entries = await rows<{ action: string; actor: unknown }>(
    `select action, actor from audit_entries where action like 'contact.%' order by seq desc limit 4`,
  );
  const [started] = entries.filter(({ action }) => action === 'contact.import_started');
  return {
    told: events.map(({ by }) => by),
    logged: new Set(entries.map(({ actor }) => JSON.stringify(actor))),
    actions: entries.map(({ action }) => action).sort(),
    starter: started?.actor as Record<string, unknown>,
  };
}

const ACTIONS = [
  'contact.created',
  'contact.import_finished',
  'contact.import_started',
  'contact.opted_out',
];

describe('what an import does is told and logged as done by who started it', () => {
  it('a key', async () => {
    const { told, logged, actions, starter } = await doneBy(door.key, '+5511984100001');

    expect(starter).toMatchObject({ type: 'service_account', id: expect.stringMatching(/^sva_/) });
    expect(told).toEqual([{ type: 'api', id: starter['id'] }]);
    expect({ logged, actions }).toEqual({
      logged: new Set([JSON.stringify(starter)]),
      actions: ACTIONS,
    });
  });

  it.each([
    ['a person', { console: true }, 'member'],
    ['an app, with the person', {}, 'app'],
  ])('%s', async (_, through, type) => {
    const { id, token } = await aMember(door.ctx, { role: 'owner', ...through });

    const phone = type === 'app' ? '+5511984100002' : '+5511984100003';
    const { told, logged, actions, starter } = await doneBy(token, phone);

    expect(starter).toMatchObject({ type, member_id: id });
    expect(told).toEqual([{ type: 'member', id }]);
    expect({ logged, actions }).toEqual({
      logged: new Set([JSON.stringify(starter)]),
      actions: ACTIONS,
    });
  });

  it('who is no longer of the workspace', async () => {
    const { id, token } = await aMember(door.ctx, { role: 'admin' });

    const { told, logged } = await doneBy(token, '+5511984100004', async () => {
      await removeMember(door.ctx, id);
    });

    expect(told).toEqual([{ type: 'member', id }]);
    expect([...logged].map((actor) => JSON.parse(actor).member_id)).toContain(id);
  });
});
