import { describe, expect, it } from '@jest/globals';
import { deleteContact } from '../../src/contacts/deleting.ts';
import { contactImportRoutes } from '../../src/contacts/imports/routes.ts';
import { importSome } from '../../src/contacts/imports/steps.ts';
import { optOut } from '../../src/contacts/opt-outs/opting-out.ts';
import type { ImportRowView } from '../../src/contacts/schema.ts';
import { getContact } from '../../src/contacts/service.ts';
import { transact } from '../../src/db/transact.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { contextsOf, imported } from './support/imports.ts';

const door = opened(() => openApi({ routes: contactImportRoutes }));
/** What became of each row of the file, and of whom. */
async function become(text: string): Promise<ImportRowView[]> {
  const { id } = await imported(door.api, door.key, text);
  const ref = { organizationId: door.ctx.organizationId, importId: id };
  await importSome(contextsOf(door.database), ref, () => true);
  return (await door.call('GET', `/contacts/imports/${id}/rows`)).body.data;
}

const the = (id: string | null | undefined) => transact(door.ctx, (tx) => getContact(tx, id ?? ''));

const loggedOf = (id: string | null | undefined): Promise<{ action: string; changes: unknown }[]> =>
  rowsOf(
    door.ctx,
    `select action, changes from audit_entries
       where organization_id = $1 and target ->> 'id' = $2 and action <> 'contact.created' order by seq`,
    [door.ctx.organizationId, id],
  );

const OPTED_OUT = {
  action: 'contact.opted_out',
  changes: [
    { field: 'opted_out', from: false, to: true },
    { field: 'source', from: null, to: 'import' },
  ],
};
const BLOCKED = {
  action: 'contact.updated',
  changes: [{ field: 'blocked', from: false, to: true }],
};

describe('a row of an import', () => {
  it('of whom the file says so brings in somebody who gets no messages, or is blocked', async () => {
    const [out, blocked, neither] = await become(
      'name,phone,opted_out,blocked\nAna,+5511984100001,true,false\nBia,+5511984100002,,TRUE\nCaio,+5511984100003,false,false\n',
    );

    expect(await the(out?.contact_id)).toMatchObject({
      opted_out: true,
      opted_out_at: expect.any(String),
      opt_out_source: 'import',
      blocked: false,
    });
    expect(await the(blocked?.contact_id)).toMatchObject({ opted_out: false, blocked: true });
    expect(await the(neither?.contact_id)).toMatchObject({ opted_out: false, blocked: false });
    expect([out?.outcome, blocked?.outcome, neither?.outcome]).toEqual(Array(3).fill('created'));
    expect(await loggedOf(out?.contact_id)).toEqual([OPTED_OUT]);
    expect(await loggedOf(blocked?.contact_id)).toEqual([BLOCKED]);
  });

  it.each([
    ['VERDADEIRO', 'FALSO'],
    ['sim', 'Não'],
    ['Yes', 'no'],
    ['1', '0'],
  ])('reads %s and %s, as spreadsheets and other tools write them', async (yes, no) => {
    const [row] = await become(`name,opted_out,blocked\nAna,${yes},${no}\n`);
    const [other] = await become(`name,opted_out,blocked\nBia,${no},${yes}\n`);

    expect(await the(row?.contact_id)).toMatchObject({ opted_out: true, blocked: false });
    expect(await the(other?.contact_id)).toMatchObject({ opted_out: false, blocked: true });
  });

  it('does so with who is known, once, and takes neither back', async () => {
    const { id, phone } = await aContact(door.ctx, { phone: '+5511984100004' });

    const [first] = await become(`phone,opted_out,blocked\n${phone},true,true\n`);
    const before = await the(id);
    const [again] = await become(`phone,opted_out,blocked\n${phone},true,true\n`);
    const [back] = await become(`phone,opted_out,blocked\n${phone},false,false\n`);

    expect([first, again, back].map((row) => row?.outcome)).toEqual([
      'updated',
      'unchanged',
      'unchanged',
    ]);
    expect(before).toMatchObject({ opted_out: true, blocked: true });
    expect(await the(id)).toEqual(before);
    expect(await loggedOf(id)).toEqual([BLOCKED, OPTED_OUT]);
  });

  it('leaves the wish on the list, which outlives the contact', async () => {
    const [row] = await become('phone,opted_out\n+5511984100005,true\n');
    await deleteContact(door.ctx, row?.contact_id ?? '', []);

    const [later] = await become('phone\n+5511984100005\n');

    expect(await the(later?.contact_id)).toMatchObject({ opted_out: true });
  });

  it('keeps how and when somebody said so who had said so before', async () => {
    const { id, phone } = await aContact(door.ctx, { phone: '+5511984100006' });
    const wish = { source: 'whatsapp', messageId: null, at: new Date('2026-01-01') } as const;
    await transact(door.ctx, (tx) => optOut(tx, id, wish));

    const [row] = await become(`phone,opted_out\n${phone},true\n`);

    expect(row?.outcome).toBe('unchanged');
    expect(await the(id)).toMatchObject({
      opted_out_at: '2026-01-01T00:00:00.000Z',
      opt_out_source: 'whatsapp',
    });
  });

  it('keeps how and when the list says it of somebody who is new here', async () => {
    const { id, phone } = await aContact(door.ctx, { phone: '+5511984100010' });
    const wish = { source: 'message', messageId: null, at: new Date('2026-01-01') } as const;
    await transact(door.ctx, (tx) => optOut(tx, id, wish));
    await deleteContact(door.ctx, id, []);

    const [row] = await become(`phone,opted_out\n${phone},true\n`);

    expect(await the(row?.contact_id)).toMatchObject({
      opted_out_at: '2026-01-01T00:00:00.000Z',
      opt_out_source: 'message',
    });
  });

  it('is invalid where the file says neither yes nor no, and names the column', async () => {
    const rows = await become(
      'phone,opted_out,blocked\n+5511984100007,talvez,\n+5511984100008,,x\n',
    );

    expect(rows.map(({ outcome, problems }) => [outcome, problems[0]?.path])).toEqual([
      ['failed', 'opted_out'],
      ['failed', 'blocked'],
    ]);
  });

  it('further down says it of somebody who is new in the same file', async () => {
    const rows = await become(
      'name,phone,opted_out,blocked\nAna,+5511984100009,,\nAna,+5511984100009,true,true\n',
    );

    expect(rows.map(({ outcome }) => outcome)).toEqual(['created', 'updated']);
    expect(await the(rows[0]?.contact_id)).toMatchObject({ opted_out: true, blocked: true });
  });
});
