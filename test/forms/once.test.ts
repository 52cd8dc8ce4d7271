import { beforeEach, describe, expect, it } from '@jest/globals';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aForm } from '../support/factories/forms.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import {
  aFormScene,
  answered,
  aPhone,
  freshCounters,
  openPage,
  sendPage,
  submissionsOf,
} from './support/scene.ts';

const scene = opened(aFormScene);
beforeEach(() => freshCounters(scene.database));

describe('sending a form', () => {
  it('starts the automation that the form names, once, with the submission behind it', async () => {
    const automationId = newId('atm');
    await rowsOf(
      scene.ctx,
      `insert into automations (organization_id, id, name, draft, created_by, created_at, updated_at)
       values ($1, $2, 'Boas-vindas', '{}', '{}', now(), now())`,
      [scene.ctx.organizationId, automationId],
    );
    const turn = (status: string): Promise<unknown> =>
      rowsOf(scene.ctx, 'update automations set status = $2 where id = $1', [automationId, status]);
    await turn('active');
    const { id } = await aForm(scene.ctx, { automation: 'BOAS-vindas' });

    const kept = await answered(scene, id, { whatsapp: aPhone().written });

    const triggers = await rowsOf<object>(
      scene.ctx,
      'select contact_id, trigger from automation_triggers where automation_id = $1',
      [automationId],
    );
    expect(triggers).toEqual([
      {
        contact_id: kept.contact_id,
        trigger: { type: 'form_submitted', ref: kept.id },
      },
    ]);
    expect(kept.run_id).toBeNull();
    await turn('inactive');
    await answered(scene, id, { whatsapp: aPhone().written });
    const still = await rowsOf<object>(
      scene.ctx,
      'select id from automation_triggers where automation_id = $1',
      [automationId],
    );
    expect(still).toHaveLength(1);
  });

  it('is one submission when the same page is sent twice at once, and both see the thanks', async () => {
    const { id } = await aForm(scene.ctx, { thanks: 'Até logo!' });
    const { token } = await openPage(scene, `/f/${id}`);
    const answers = { whatsapp: aPhone().written };

    const replies = await Promise.all(
      Array.from({ length: 6 }, () => sendPage(scene, id, { token, answers })),
    );

    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(200));
    for (const { text } of replies) expect(text).toContain('Até logo!');
    expect(await submissionsOf(scene, id)).toHaveLength(1);
  });

  it('makes one contact of two pages sent at once with one new phone', async () => {
    const { id } = await aForm(scene.ctx);
    const answers = { whatsapp: aPhone().written };
    const pages = await Promise.all([1, 2, 3].map(() => openPage(scene, `/f/${id}`)));

    await Promise.all(pages.map(({ token }) => sendPage(scene, id, { token, answers })));

    const kept = await submissionsOf(scene, id);
    expect(kept).toHaveLength(3);
    expect(new Set(kept.map(({ contact_id }) => contact_id)).size).toBe(1);
    expect(kept.map(({ outcome }) => outcome).sort()).toEqual([
      'contact_created',
      'contact_unchanged',
      'contact_unchanged',
    ]);
  });

  it('goes to whoever the contact has become that is merged while the answers are saved', async () => {
    const { id } = await aForm(scene.ctx);
    const { written, e164 } = aPhone();
    const survivor = await aContact(scene.ctx);
    const other = await aContact(scene.ctx, { phone: e164 });
    const { token } = await openPage(scene, `/f/${id}`);

    const merged = await transact(scene.ctx, async (tx) => {
      await mergeContacts(tx, survivor.id, other.id);
      const sent = sendPage(scene, id, { token, answers: { whatsapp: written } });
      await untilWaiting(scene.database.system);
      return { sent };
    });

    expect((await merged.sent).status).toBe(200);
    expect(await submissionsOf(scene, id)).toMatchObject([{ contact_id: survivor.id }]);
  });

  const phone = { type: 'phone', label: 'WhatsApp', required: true, save_to: 'phone' } as const;
  const consent = { type: 'consent', label: 'Aceito', required: true } as const;
  /** A form whose words were changed after somebody had opened its page. */
  const openedAndEdited = async (): Promise<{ id: string; token: string }> => {
    const { id } = await aForm(scene.ctx, { fields: [phone, consent] });
    const { token } = await openPage(scene, `/f/${id}`);
    const edited = { ...consent, key: 'aceito', label: 'Aceito ofertas de parceiros' };
    const body = { fields: [phone, edited] };
    await scene.api.call('PATCH', `/api/v1/forms/${id}`, { key: scene.key, body });
    return { id, token };
  };

  it('takes no agreement to words that were not shown: an edited form is looked at again', async () => {
    const { id, token } = await openedAndEdited();
    const { written } = aPhone();

    const sent = await sendPage(scene, id, { token, answers: { whatsapp: written, aceito: '1' } });

    expect(sent.status).toBe(422);
    expect(sent.text).toContain('O formulário mudou');
    expect(sent.text).toContain('Aceito ofertas de parceiros');
    expect(sent.text).toContain(`value="${written}"`);
    expect(sent.text).not.toContain('checked');
    expect(await submissionsOf(scene, id)).toEqual([]);
  });

  it.each([
    ['caught by the trap', 422, 0, { contact_url: 'http://spam.example' }],
    ['refused for coming too often', 429, 30, {}],
  ])('shows no agreement to new words when it is %s', async (_, status, before, other) => {
    const { id, token } = await openedAndEdited();
    const answers = { whatsapp: aPhone().written, aceito: '1' };
    for (let i = 0; i < before; i += 1) await sendPage(scene, id, { token });

    const sent = await sendPage(scene, id, { token, answers, other });

    expect(sent.status).toBe(status);
    expect(sent.text).toContain('Aceito ofertas de parceiros');
    expect(sent.text).toContain(`value="${answers.whatsapp}"`);
    expect(sent.text).not.toContain('checked');
  });

  it('keeps what was answered when the form is edited and the contact deleted', async () => {
    const { id } = await aForm(scene.ctx);
    const kept = await answered(scene, id, { nome_completo: 'Ana', whatsapp: aPhone().written });

    await scene.api.call('PATCH', `/api/v1/forms/${id}`, {
      key: scene.key,
      body: { fields: [{ type: 'phone', label: 'Celular', required: true, save_to: 'phone' }] },
    });
    await rowsOf(scene.ctx, 'delete from contacts where id = $1', [kept.contact_id]);

    const [after] = await submissionsOf(scene, id);
    expect(after).toEqual({ ...kept, contact_id: '' });
  });

  it('says in the audit log what it changed, and that the form was filled in', async () => {
    const { id } = await aForm(scene.ctx);
    const kept = await answered(scene, id, { whatsapp: aPhone().written });

    const entries = await rowsOf<{ action: string; actor: { name: string } }>(
      scene.ctx,
      `select action, actor from audit_entries where target->>'id' in ($1, $2) order by seq desc limit 2`,
      [id, kept.contact_id],
    );
    expect(entries.map(({ action }) => action)).toEqual(['form.submitted', 'contact.created']);
    expect(entries.map(({ actor }) => actor.name)).toEqual(['form', 'form']);
  });
});
