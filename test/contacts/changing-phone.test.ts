import { describe, expect, it } from '@jest/globals';
import { phoneKey } from '../../src/contacts/identity/phones.ts';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { updateContact } from '../../src/contacts/service.ts';
import { openWritingScene } from '../inbound/support/writing.ts';
import { aContact } from '../support/factories/contacts.ts';
import { opened } from '../support/opened.ts';

const scene = opened(openWritingScene);

/** The contact that a message is from. */
async function writerOf(text: string): Promise<{ id: string; phone: string | null }> {
  const [contact] = await scene.rows<{ id: string; phone: string | null }>(
    'select c.id, c.phone from messages m join contacts c on c.id = m.contact_id where m.text = $1',
    [text],
  );
  if (!contact) throw new TypeError(`nobody wrote ${text}`);
  return contact;
}

const change = (id: string, phone: string): Promise<unknown> =>
  updateContact(scene.ctx, id, { phone: `+${phone}` });

describe('a contact that gets another phone', () => {
  it.each([
    ['with WhatsApp’s id for the person', { from_user_id: 'BR.1000000001' }],
    ['without one', {}],
  ])('is not who writes from the old one afterwards, %s', async (how, fields) => {
    const old = scene.aPhone();
    const fresh = scene.aPhone();
    await scene.writes(old, `oi ${how}`, fields);
    const { id } = await writerOf(`oi ${how}`);

    await change(id, fresh);
    await scene.writes(old, `quem é? ${how}`, fields);

    const stranger = await writerOf(`quem é? ${how}`);
    expect(stranger.id).not.toBe(id);
    expect(stranger.phone).toBe(`+${old}`);
  });

  it('keeps WhatsApp’s id when only the spelling changes, and when there was no phone before', async () => {
    const phone = scene.aPhone();
    await scene.writes(phone, 'oi, de novo', { from_user_id: 'BR.1000000002' });
    await scene.writes('', 'oi, sem telefone', { from_user_id: 'BR.1000000003' });
    const spelled = await writerOf('oi, de novo');
    const hidden = await writerOf('oi, sem telefone');

    await change(spelled.id, phone.replace(/^(55..)9/, '$1'));
    await change(hidden.id, scene.aPhone());
    await scene.writes(phone, 'ainda eu', { from_user_id: 'BR.1000000002' });
    await scene.writes('', 'eu também', { from_user_id: 'BR.1000000003' });

    expect(hidden.phone).toBeNull();
    expect((await writerOf('ainda eu')).id).toBe(spelled.id);
    expect((await writerOf('eu também')).id).toBe(hidden.id);
  });

  it('is found by its second phone, whose id of WhatsApp comes back with the next message', async () => {
    const first = scene.aPhone();
    const second = scene.aPhone();
    const stays = await aContact(scene.ctx, { phone: `+${first}` });
    await scene.writes(second, 'oi do segundo', { from_user_id: 'BR.1000000004' });
    await mergeContacts(scene.ctx, stays.id, (await writerOf('oi do segundo')).id);

    await change(stays.id, scene.aPhone());
    await scene.writes(second, 'ainda do segundo', { from_user_id: 'BR.1000000004' });

    expect((await writerOf('ainda do segundo')).id).toBe(stays.id);
    expect(
      await scene.rows(
        "select value from contact_identities where contact_id = $1 and type = 'wa_user'",
        [stays.id],
      ),
    ).toEqual([{ value: 'BR.1000000004' }]);
  });

  it('leaves the opt-out with whoever has the old phone, under WhatsApp’s id, too', async () => {
    const old = scene.aPhone();
    const fresh = scene.aPhone();
    await scene.writes(old, 'SAIR', { from_user_id: 'BR.1000000005' });
    const { id } = await writerOf('SAIR');

    await change(id, fresh);
    await scene.writes('', 'sou eu', { from_user_id: 'BR.1000000005' });

    const [met] = await scene.rows('select opted_out from contacts where id = $1', [
      (await writerOf('sou eu')).id,
    ]);
    expect(met).toEqual({ opted_out: true });
  });

  it('is opted out where the new one is on the list, and that is written down', async () => {
    const listed = scene.aPhone();
    const { id } = await aContact(scene.ctx);
    await scene.rows(
      `insert into opt_outs (organization_id, identity_hash, source, created_at)
       values ($1, wms.identity_hash($1, 'phone', $2), 'button', now())`,
      [scene.ctx.organizationId, phoneKey(`+${listed}`)],
    );

    await change(id, listed);

    expect(
      await scene.rows(
        "select changes from audit_entries where action = 'contact.opted_out' and target ->> 'id' = $1",
        [id],
      ),
    ).toEqual([
      {
        changes: [
          { field: 'opted_out', from: false, to: true },
          { field: 'source', from: null, to: 'button' },
        ],
      },
    ]);
  });
});
