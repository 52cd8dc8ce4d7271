import { describe, expect, it } from '@jest/globals';
import { activateAutomation } from '../../src/automations/transitions.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { getForm } from '../../src/forms/service.ts';
import { anAutomation } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aForm, NAME, PHONE } from '../support/factories/forms.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const reading = (id: string) =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
    getForm({ ...scene.ctx, sql }, id, 'http://console.test'),
  );

describe('forms', () => {
  const list = (): string => `${scene.base}/forms`;
  const wish = (more: Record<string, string> = {}) => ({
    title: 'Pedido',
    description: 'Um minuto.',
    fields: JSON.stringify([NAME, PHONE]),
    thanks: '',
    tag: 'site',
    automation: '',
    ...more,
  });

  it('are written, published, changed and taken down', async () => {
    const { admin, agent } = scene.people;
    const made = await admin.send(`${list()}/new`, 'create', wish());
    const address = made.headers.get('location') ?? '';
    const id = address.split('/').at(-1) ?? '';
    expect([made.status, address]).toEqual([303, `${list()}/${id}`]);
    expect((await admin.get(`${list()}?status=draft`)).text).toContain(`href="${address}"`);

    expect((await admin.send(address, 'publish')).status).toBe(303);
    expect((await agent.get(address)).text).toContain(`http://console.test/f/${id}`);
    expect((await admin.send(address, 'publish')).status).toBe(409);

    const changed = wish({ title: 'Pedido novo', tag: '', personal_link: 'yes' });
    expect((await admin.send(`${address}/edit`, 'save', changed)).status).toBe(303);
    expect(await reading(id)).toMatchObject({
      title: 'Pedido novo',
      tag: null,
      personal_link: true,
      version: 2,
    });
    expect((await admin.get(`${address}/edit`)).text).toContain('&quot;key&quot;');
    const leadsToLink = async () =>
      (await admin.get(address)).text.includes(`href="${address}/link"`);
    expect(await leadsToLink()).toBe(true);
    await admin.send(`${address}/edit`, 'save', wish());
    expect((await reading(id)).personal_link).toBe(false);
    expect(await leadsToLink()).toBe(false);

    expect((await admin.send(address, 'unpublish')).status).toBe(303);
    expect((await reading(id)).status).toBe('unpublished');
  });

  it('begin with an example in the language of the reader', async () => {
    const { admin } = scene.people;
    const example = async (language: string): Promise<string> =>
      (await admin.get(`${list()}/new`, { 'accept-language': language })).text;
    expect(await example('en')).toContain('&quot;label&quot;: &quot;Name&quot;');
    expect(await example('pt-BR')).toContain('&quot;label&quot;: &quot;Nome&quot;');
  });

  it('are refused at their field where they name an automation that does not exist', async () => {
    const { admin } = scene.people;
    const { id } = await aForm(scene.ctx);
    const unknown = wish({ automation: 'Nenhuma' });
    for (const [path, action] of [
      ['new', 'create'],
      [`${id}/edit`, 'save'],
    ] as const) {
      const { status, text } = await admin.send(`${list()}/${path}`, action, unknown);
      expect([path, status]).toEqual([path, 422]);
      expect(text).toContain('<a href="#f-automation">');
      expect(text).toContain('id="f-automation-error"');
    }
  });

  it('lead to the automation that each answer starts, and warn while it is off', async () => {
    const { id: automation } = await anAutomation(scene.ctx, { name: 'Boas-vindas' });
    const { id } = await aForm(scene.ctx, { automation: 'Boas-vindas' });
    const shown = async () => (await scene.people.viewer.get(`${list()}/${id}`)).text;

    const off = await shown();
    const draft = await scene.people.admin.send(
      `${list()}/new`,
      'create',
      wish({ automation: 'Boas-vindas' }),
    );
    const unpublished = await scene.people.admin.get(draft.headers.get('location') ?? '');
    await activateAutomation(scene.ctx, automation);
    const on = await shown();

    for (const text of [off, on])
      expect(text).toContain(`href="${scene.base}/automations/${automation}">Boas-vindas</a>`);
    expect(off).toContain('The automation is not active');
    expect(unpublished.text).toContain('Boas-vindas</a>');
    expect(unpublished.text).not.toContain('The automation is not active');
    expect(on).not.toContain('The automation is not active');
  });

  it('say of each wrong question where it is', async () => {
    const fields = JSON.stringify([{ type: 'text', label: '', save_to: 'email' }, PHONE]);
    const { status, text } = await scene.people.admin.send(
      `${list()}/new`,
      'create',
      wish({ fields, title: '' }),
    );

    expect(status).toBe(422);
    expect(text).toContain('<a href="#f-title">');
    expect(text).toContain('<code>[0].label</code>: ');
    expect(text).toContain('value="site"');
  });

  it('that cannot know who answers are refused in words', async () => {
    const fields = JSON.stringify([NAME]);
    const { status, text } = await scene.people.admin.send(
      `${list()}/new`,
      'create',
      wish({ fields }),
    );
    expect([status, text.includes('must know who answers')]).toEqual([422, true]);
  });

  it('open for one contact by a link that is shown once', async () => {
    const { admin } = scene.people;
    const { id } = await aForm(scene.ctx, { personal_link: true });
    const { id: contactId } = await aContact(scene.ctx, { name: 'Ana Souza' });
    const page = `${list()}/${id}/link`;

    const found = await admin.send(page, 'find', { q: 'Souza' });
    expect(found.text).toContain(`value="${contactId}"`);
    const made = await admin.send(page, 'create', { q: 'Souza', contact_id: contactId });
    expect(made.headers.get('location')).toBe(`${list()}/${id}`);
    expect((await admin.get(`${list()}/${id}`)).text).toContain(`/f/${id}?c=`);
    expect((await admin.get(`${list()}/${id}`)).text).not.toContain('?c=');
    expect((await admin.send(page, 'create', { contact_id: '' })).status).toBe(422);
  });

  it('show what was sent in, by outcome', async () => {
    const { id } = await aForm(scene.ctx);
    const { id: contactId } = await aContact(scene.ctx, { name: 'Bia <Lima>' });
    const answers = { nome: { label: 'Nome', type: 'text', value: '<b>Bia</b>' } };
    await rowsOf(
      scene.ctx,
      `insert into form_submissions (organization_id, id, form_id, contact_id, answers, outcome, token_hash, form_version, created_at)
         values ($1, 'sub_01KAH9B2D4F6H8J0K2M4N6P8R0', $2, $3, $4, 'contact_created', '\\x00', 1, now())`,
      [scene.ctx.organizationId, id, contactId, JSON.stringify(answers)],
    );
    const { text } = await scene.people.viewer.get(`${list()}/${id}`);

    expect(text).toContain(`/contacts/${contactId}">Bia &lt;Lima&gt;</a>`);
    expect(text).toContain('&lt;b&gt;Bia&lt;/b&gt;');
    const others = await scene.people.viewer.get(`${list()}/${id}?outcome=contact_conflict`);
    expect(others.text).toContain('Nothing was sent in.');
  });

  it('that are in conflict name the other contact, as long as there is one', async () => {
    const { id } = await aForm(scene.ctx);
    const { id: phoneOwner } = await aContact(scene.ctx, { name: 'Bia' });
    const { id: mailOwner } = await aContact(scene.ctx, { name: 'Caio <Reis>' });
    await rowsOf(
      scene.ctx,
      `insert into form_submissions (organization_id, id, form_id, contact_id, conflict_contact_id, answers, outcome, token_hash, form_version, created_at)
         values ($1, 'sub_01KAH9B2D4F6H8J0K2M4N6P8R1', $2, $3, $4, '{}', 'contact_conflict', '\\x01', 1, now())`,
      [scene.ctx.organizationId, id, phoneOwner, mailOwner],
    );
    const { viewer } = scene.people;
    const link = `<a href="${scene.base}/contacts/${mailOwner}">Caio &lt;Reis&gt;</a>`;
    const shown = (await viewer.get(`${list()}/${id}?outcome=contact_conflict`)).text;
    await rowsOf(scene.ctx, 'delete from contacts where id = $1', [mailOwner]);
    const after = (await viewer.get(`${list()}/${id}`)).text;

    expect(shown).toContain(`in conflict with another contact: ${link}`);
    expect(after).toContain('<td data-label="Outcome">in conflict with another contact</td>');
    expect(after).not.toContain(mailOwner);
  });

  it('are read by everybody and written by those who may, and foreign ones by nobody', async () => {
    const other = await aWorkspace(scene.database);
    const foreign = await aForm(other.ctx, { title: 'Segredo', personal_link: true });
    const { id } = await aForm(scene.ctx);
    const { agent, owner } = scene.people;

    expect((await agent.get(`${list()}/${id}`)).text).not.toContain('name="action"');
    expect((await agent.get(`${list()}/${id}/edit`)).status).toBe(403);
    for (const path of ['', '/edit', '/link'])
      expect((await owner.get(`${list()}/${foreign.id}${path}`)).status).toBe(404);
    expect((await owner.send(`${list()}/${foreign.id}`, 'unpublish')).status).toBe(404);
    expect((await owner.send(`${list()}/${foreign.id}/edit`, 'save', wish())).status).toBe(404);
  });
});
