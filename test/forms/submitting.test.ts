import { beforeEach, describe, expect, it } from '@jest/globals';
import { createContact } from '../../src/contacts/service.ts';
import { aForm, NAME, PHONE } from '../support/factories/forms.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aFormScene, answered, aPhone, contactOf, freshCounters } from './support/scene.ts';

const scene = opened(aFormScene);
beforeEach(() => freshCounters(scene.database));

const EMAIL = { type: 'email', label: 'E-mail', save_to: 'email' } as const;
const CONSENT = { type: 'consent', label: 'Quero receber ofertas, até eu dizer que não' } as const;

describe('a filled-in form', () => {
  it('creates the contact by its phone, with every field, the tag and the way in', async () => {
    const phone = aPhone();
    const { id } = await aForm(scene.ctx, {
      tag: 'Feira',
      fields: [
        NAME,
        PHONE,
        EMAIL,
        { type: 'date', label: 'Nascimento', save_to: 'birth_date' },
        { type: 'long_text', label: 'Recado', save_to: 'notes' },
        { type: 'number', label: 'Pessoas', save_to: 'custom.pessoas' },
        { type: 'checkbox', label: 'Tem alergia', save_to: 'custom.alergia' },
        {
          type: 'multi_select',
          label: 'Interesses',
          save_to: 'custom.interesses',
          options: ['Pães', 'Bolos', 'Doces'],
        },
      ],
    });

    const kept = await answered(scene, id, {
      nome_completo: ' Ana Souza ',
      whatsapp: phone.written,
      e_mail: 'ana@exemplo.com.br',
      nascimento: '1990-04-12',
      recado: 'Sem glúten\r\npor favor',
      pessoas: '1.234,5',
      tem_alergia: '1',
      interesses: ['Doces', 'Pães'],
    });

    expect(kept.outcome).toBe('contact_created');
    expect(kept.form_version).toBe(1);
    expect(await contactOf(scene, kept.contact_id)).toMatchObject({
      name: 'Ana Souza',
      phone: phone.e164,
      email: 'ana@exemplo.com.br',
      birth_date: '1990-04-12',
      birth_year_known: true,
      notes: 'Sem glúten\npor favor',
      tags: ['Feira'],
      custom: { pessoas: 1234.5, alergia: true, interesses: ['Pães', 'Doces'] },
      origin: 'form',
      created_via: 'form',
    });
    const events = await rowsOf<{ payload: string }>(
      scene.ctx,
      `select payload from facts where type = 'contact.created' and payload::json->'data'->>'contact_id' = $1`,
      [kept.contact_id],
    );
    expect(JSON.parse(events[0]?.payload ?? '{}').data.contact).toMatchObject({
      origin: 'form',
      created_via: 'form',
      tags: ['Feira'],
    });
  });

  it('keeps each answer under its key with its label and type, in the order of the questions, null where it was left empty', async () => {
    const { id } = await aForm(scene.ctx, {
      fields: [
        PHONE,
        { label: 'Zebra' },
        { label: 'A' },
        { type: 'multi_select', label: 'M', options: ['x'] },
      ],
    });

    const { answers } = await answered(scene, id, { whatsapp: aPhone().written, zebra: 'sim' });

    expect(Object.keys(answers)).toEqual(['whatsapp', 'zebra', 'a', 'm']);
    expect(answers['zebra']).toEqual({ label: 'Zebra', type: 'text', value: 'sim' });
    expect(answers['a']).toEqual({ label: 'A', type: 'text', value: null });
    expect(answers['m']).toEqual({ label: 'M', type: 'multi_select', value: null });
  });

  it('updates whoever has the phone in any spelling, and leaves what was left empty', async () => {
    const phone = aPhone();
    const known = await createContact(scene.ctx, {
      name: 'Ana',
      phone: phone.e164.replace('+55119', '+5511'),
      email: 'ana.antiga@exemplo.com',
      tags: ['VIP'],
      notes: 'Paga em dia',
    });
    const { id } = await aForm(scene.ctx, {
      tag: 'vip',
      fields: [NAME, PHONE, EMAIL, { type: 'text', label: 'Recado', save_to: 'notes' }],
    });
    const answers = {
      nome_completo: 'Ana Souza',
      whatsapp: phone.written,
      recado: 'Gosta de bolo',
    };

    const first = await answered(scene, id, answers);
    const again = await answered(scene, id, answers);

    expect(first).toMatchObject({ contact_id: known.id, outcome: 'contact_updated' });
    expect(again).toMatchObject({ contact_id: known.id, outcome: 'contact_unchanged' });
    expect(await contactOf(scene, known.id)).toMatchObject({
      name: 'Ana Souza',
      email: 'ana.antiga@exemplo.com',
      phone: known.phone,
      tags: ['VIP'],
      notes: 'Paga em dia\nGosta de bolo',
      origin: 'import',
    });
  });

  it('reads a number as the country of the workspace writes it, also where it asks in English', async () => {
    const { id } = await aForm(scene.ctx, { fields: [PHONE, { type: 'number', label: 'Renda' }] });
    await rowsOf(scene.ctx, `update workspaces set language = 'es-AR'`);

    const kept = await answered(scene, id, { whatsapp: '11 2345-6789', renda: '12.500' });
    await rowsOf(scene.ctx, `update workspaces set language = 'pt-BR'`);

    expect(kept.answers['renda']?.value).toBe(12500);
  });

  it('adds an answer to the notes unless it stands there in lines of its own', async () => {
    const phone = aPhone();
    const known = await createContact(scene.ctx, {
      name: 'Ana',
      phone: phone.e164,
      notes: 'Sem glúten\npor favor\nNão liga',
    });
    const field = { type: 'long_text', label: 'Recado', save_to: 'notes' } as const;
    const { id } = await aForm(scene.ctx, { fields: [NAME, PHONE, field] });
    const person = { nome_completo: 'Ana', whatsapp: phone.written };

    for (const recado of ['Sem glúten\npor favor', 'Não', 'Não'])
      await answered(scene, id, { ...person, recado });

    expect((await contactOf(scene, known.id)).notes).toBe('Sem glúten\npor favor\nNão liga\nNão');
  });

  it('adds a tag and custom fields only while the contact has room for them, and updates those it has', async () => {
    const phone = aPhone();
    const tags = Array.from({ length: 50 }, (_, i) => `t${i}`);
    const custom = Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`c${i}`, 'antes']));
    const known = await createContact(scene.ctx, { phone: phone.e164, tags, custom });
    const { id } = await aForm(scene.ctx, {
      tag: 'Feira',
      fields: [
        PHONE,
        { label: 'Cor', save_to: 'custom.1' },
        { label: 'Massa', save_to: 'custom.2' },
        { label: 'Bolo', save_to: 'custom.c98' },
      ],
    });
    const answers = { whatsapp: phone.written, cor: 'azul', massa: 'fina', bolo: 'agora' };

    const kept = await answered(scene, id, answers);

    expect(kept.outcome).toBe('contact_updated');
    expect(kept.answers).toMatchObject({ massa: { value: 'fina' } });
    const contact = await contactOf(scene, known.id);
    expect(contact.tags).toEqual(tags);
    expect(contact.custom).toEqual({ ...custom, c98: 'agora', 1: 'azul' });
  });

  it("saves on the phone's owner and merges nothing when the e-mail address is another contact's", async () => {
    const phone = aPhone();
    const owner = await createContact(scene.ctx, { name: 'Dona', phone: phone.e164 });
    const other = await createContact(scene.ctx, { name: 'Outra', email: 'Casal@Exemplo.com' });
    const { id } = await aForm(scene.ctx, { fields: [NAME, PHONE, EMAIL] });

    const kept = await answered(scene, id, {
      nome_completo: 'Dona Nova',
      whatsapp: phone.written,
      e_mail: 'casal@exemplo.com',
    });

    expect(kept).toMatchObject({
      outcome: 'contact_conflict',
      contact_id: owner.id,
      conflict_contact_id: other.id,
    });
    expect(await contactOf(scene, owner.id)).toMatchObject({ name: 'Dona Nova', email: null });
    expect(await contactOf(scene, other.id)).toMatchObject({ name: 'Outra', phone: null });
  });

  it('stores the exact words of a consent, and never takes back an opt-out', async () => {
    const phone = aPhone();
    const person = await createContact(scene.ctx, { name: 'Ana', phone: phone.e164 });
    await rowsOf(
      scene.ctx,
      `update contacts set opted_out = true, opted_out_at = now(), opt_out_source = 'message' where id = $1`,
      [person.id],
    );
    const { id } = await aForm(scene.ctx, { fields: [PHONE, CONSENT] });
    const key = 'quero_receber_ofertas_ate_eu_dizer_que_n';

    const kept = await answered(scene, id, { whatsapp: phone.written, [key]: '1' });
    const without = await answered(scene, id, { whatsapp: phone.written });

    expect(kept.outcome).toBe('contact_updated');
    expect(kept.answers[key]?.value).toBe(true);
    expect(without.outcome).toBe('contact_unchanged');
    expect(await contactOf(scene, person.id)).toMatchObject({
      opted_out: true,
      opt_out_source: 'message',
    });
    const [row] = await rowsOf<{ consent: Record<string, string> }>(
      scene.ctx,
      'select consent from contacts where id = $1',
      [person.id],
    );
    expect(row?.consent).toMatchObject({ label: CONSENT.label, source: `form:${id}` });
  });
});
