import { describe, expect, it } from '@jest/globals';
import { createContact } from '../../src/contacts/service.ts';
import type { Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aFormScene } from './support/scene.ts';

const scene = opened(aFormScene);

const phone = { type: 'phone', label: 'WhatsApp', required: true, save_to: 'phone', options: [] };
const body = {
  title: 'Cadastro',
  description: null,
  fields: [phone],
  thanks: null,
  tag: null,
  automation: null,
};

const create = (changes: object = {}): Promise<Reply> =>
  scene.api.call('POST', '/api/v1/forms', { key: scene.token, body: { ...body, ...changes } });
const withFields = (...fields: object[]) => create({ fields: [phone, ...fields] });
const get = async (id: string) =>
  (await scene.api.call('GET', `/api/v1/forms/${id}`, { key: scene.key })).body;
const patch = (id: string, changes: object): Promise<Reply> =>
  scene.api.call('PATCH', `/api/v1/forms/${id}`, { key: scene.key, body: changes });
const field = (changes: object) => ({
  type: 'text',
  label: 'Cor',
  save_to: '',
  options: [],
  ...changes,
});

describe('drafting a form', () => {
  it('answers a person 201 with the id alone, and an API key 403 oauth_required', async () => {
    const drafted = await create();
    const refused = await scene.api.call('POST', '/api/v1/forms', { key: scene.key, body });

    expect(drafted.status).toBe(201);
    expect(drafted.body).toEqual({ id: expect.stringMatching(/^frm_/) });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'oauth_required']);
    expect(await get(drafted.body.id)).toMatchObject({
      ...body,
      fields: [{ ...phone, key: 'whatsapp' }],
      status: 'draft',
      version: 1,
      url: null,
      published_at: null,
    });
  });

  it.each(['title', 'description', 'fields', 'thanks', 'tag', 'automation'])(
    'needs the key %s, also where null is its value',
    async (name) => {
      const { [name]: _, ...rest } = body as Record<string, unknown>;
      const reply = await scene.api.call('POST', '/api/v1/forms', { key: scene.token, body: rest });

      expect(reply.status).toBe(422);
      expect(reply.body.error.details).toMatchObject([{ path: name, rule: 'required' }]);
    },
  );

  it.each([
    ['title', { title: '' }, 'min_length'],
    ['title', { title: 'x'.repeat(121) }, 'max_length'],
    ['title', { title: '  ' }, 'min_length'],
    ['description', { description: 'x'.repeat(501) }, 'max_length'],
    ['thanks', { thanks: 'x'.repeat(1001) }, 'max_length'],
    ['tag', { tag: '' }, 'min_length'],
    ['tag', { tag: 'x'.repeat(61) }, 'max_length'],
    ['fields', { fields: [] }, 'min_items'],
    ['fields', { fields: Array(21).fill(field({})) }, 'max_items'],
    ['fields[0].label', { fields: [{ ...phone, label: 'x'.repeat(121) }] }, 'max_length'],
    ['fields[0].type', { fields: [{ ...phone, type: 'file' }] }, 'enum'],
    ['fields[0].colour', { fields: [{ ...phone, colour: 'red' }] }, 'unknown_field'],
  ])('refuses %s as %j', async (path, changes, rule) => {
    const reply = await create(changes);

    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toContainEqual(expect.objectContaining({ path, rule }));
  });

  it('takes titles of 120 characters, however many code units they are, and 20 fields', async () => {
    const fields = [phone, ...Array.from({ length: 19 }, (_, i) => field({ label: `Cor ${i}` }))];

    expect((await create({ title: '🎂'.repeat(120), fields })).status).toBe(201);
  });

  it.each([
    [{ type: 'select' }, 'options', 'min_items'],
    [{ type: 'multi_select', options: ['a', 'a'] }, 'options[1]', 'unique'],
    [{ type: 'select', options: ['a', ' a '] }, 'options[1]', 'unique'],
    [{ type: 'select', options: ['a\nb'] }, 'options[0]', 'format'],
    [{ type: 'select', options: ['x'.repeat(81)] }, 'options[0]', 'max_length'],
    [{ type: 'select', options: Array.from({ length: 51 }, String) }, 'options', 'max_items'],
    [{ type: 'text', options: ['a'] }, 'options', 'max_items'],
    [{ type: 'consent', options: ['a'] }, 'options', 'max_items'],
    [{ save_to: 'password' }, 'save_to', 'enum'],
    [{ save_to: 'custom.Cor' }, 'save_to', 'enum'],
    [{ save_to: `custom.${'x'.repeat(41)}` }, 'save_to', 'enum'],
    [{ save_to: '__proto__' }, 'save_to', 'enum'],
    [{ save_to: 'custom.__proto__' }, 'save_to', 'enum'],
    [{ save_to: 'birth_date' }, 'save_to', 'save_to_type'],
    [{ type: 'date', save_to: 'name' }, 'save_to', 'save_to_type'],
    [{ type: 'text', save_to: 'email' }, 'save_to', 'save_to_type'],
    [{ type: 'consent', save_to: 'custom.ok' }, 'save_to', 'save_to_type'],
    [{ type: 'phone', save_to: 'phone' }, 'save_to', 'unique'],
  ])('refuses a field with %j at %s', async (changes, path, rule) => {
    const reply = await withFields(field(changes));

    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toContainEqual(
      expect.objectContaining({ path: `fields[1].${path}`, rule }),
    );
  });

  it.each([
    [{ save_to: 'password' }, { message: expect.stringContaining('one of "", name, phone,') }],
    [{ type: 'select' }, { limit: 1 }],
    [{ type: 'text', options: ['a'] }, { limit: 0 }],
  ])('says of a field with %j what would do', async (changes, said) => {
    const reply = await withFields(field(changes));

    expect(reply.body.error.details).toEqual([expect.objectContaining(said)]);
  });

  it('lets no two fields share a target, nor ask for consent twice', async () => {
    const twice = await withFields(
      field({ label: 'A', save_to: 'custom.cor' }),
      field({ label: 'B', save_to: 'custom.cor' }),
    );
    const consents = await withFields(
      field({ type: 'consent', label: 'A' }),
      field({ type: 'consent', label: 'B' }),
    );

    expect(twice.body.error.details).toMatchObject([{ path: 'fields[2].save_to', rule: 'unique' }]);
    expect(consents.body.error.details).toMatchObject([{ path: 'fields[2].type', rule: 'unique' }]);
  });

  it('must know who answers: by a required phone, or a personal link', async () => {
    const noPhone = await create({ fields: [field({})] });
    const optional = await create({ fields: [{ ...phone, required: false }] });
    const linked = await create({ fields: [field({})], personal_link: true });
    const { id } = (await create()).body;

    for (const { status, body: said } of [
      noPhone,
      optional,
      await patch(id, { fields: [field({})] }),
    ])
      expect([status, said.error.code]).toEqual([422, 'form_without_identity']);
    expect(linked.status).toBe(201);
  });

  it('names an automation that exists, in any case, and refuses another', async () => {
    await rowsOf(
      scene.ctx,
      `insert into automations (organization_id, id, name, draft, created_by, created_at, updated_at)
       values ($1, 'atm_01JD8B6V0R5Q9T3XK2M7N4P1WZ', 'Boas-vindas', '{}', '{}', now(), now())`,
      [scene.ctx.organizationId],
    );

    const known = await create({ automation: 'boas-VINDAS' });
    const unknown = await create({ automation: 'Adeus' });

    expect((await get(known.body.id)).automation).toBe('Boas-vindas');
    expect([unknown.status, unknown.body.error.code]).toEqual([422, 'unknown_automation']);
    expect(unknown.body.error.details).toEqual({ automation: 'Adeus' });
  });

  it('takes the spelling of a tag that somebody has, and not the blanks around it', async () => {
    await createContact(scene.ctx, { name: 'Ana', tags: ['Feira de Maio'] });
    const { id } = (await create({ tag: ' FEIRA de maio ' })).body;

    expect((await get(id)).tag).toBe('Feira de Maio');
  });
});

describe('the keys of fields', () => {
  const keysOf = async (id: string): Promise<string[]> =>
    (await get(id)).fields.map(({ key }: { key: string }) => key);

  it('are made from the labels, and numbered where two are alike', async () => {
    const labels = [
      'Nome completo',
      'Nome  completo!',
      'São José?',
      '名前',
      '??',
      '__proto__',
      '2024',
    ];
    const { id } = (await withFields(...labels.map((label) => field({ label })))).body;

    expect(await keysOf(id)).toEqual([
      'whatsapp',
      'nome_completo',
      'nome_completo_2',
      'sao_jose',
      'field',
      'field_2',
      'proto',
      '2024',
    ]);
  });

  it('stay with their field through edits, and are never given to another', async () => {
    const { id } = (await withFields(field({ label: 'Cor' }), field({ label: 'Sabor' }))).body;

    const renamed = [phone, field({ label: 'Tom', key: 'cor' }), field({ label: 'Sabor' })];
    await patch(id, { fields: renamed });
    expect(await keysOf(id)).toEqual(['whatsapp', 'cor', 'sabor']);
    await patch(id, { fields: [phone] });
    await patch(id, { fields: [phone, field({ label: 'Sabor' })] });
    expect(await keysOf(id)).toEqual(['whatsapp', 'sabor_2']);
  });

  it('cannot be invented or given to two', async () => {
    const { id } = (await create()).body;
    const invented = await patch(id, { fields: [phone, field({ key: 'nova' })] });
    const twice = await patch(id, {
      fields: [{ ...phone, key: 'whatsapp' }, field({ key: 'whatsapp' })],
    });

    expect(invented.body.error.details).toMatchObject([
      { path: 'fields[1].key', rule: 'unknown_key' },
    ]);
    expect(twice.body.error.details).toMatchObject([{ path: 'fields[1].key', rule: 'unique' }]);
  });
});
