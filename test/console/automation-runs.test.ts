import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getAutomation, getRun } from '../../src/automations/reading.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { anActiveAutomation, anAutomation, aRun } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { filledIn } from './support/forms.ts';
import { aConsoleScene, type ConsoleScene, type Fields } from './support/scene.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await aConsoleScene();
  await aNumber(scene.ctx, { name: 'Vendas' });
});
afterAll(() => scene?.close());

const list = (): string => `${scene.base}/automations`;

const reading = <T>(work: (ctx: typeof scene.ctx) => Promise<T>): Promise<T> =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) => work({ ...scene.ctx, sql }));
const stored = (id: string) => reading((ctx) => getAutomation(ctx, id));

const END = { id: 'end', type: 'end' };

describe('turning an automation off', () => {
  const running = async (name: string) => {
    const { id } = await anActiveAutomation(scene.ctx, { name });
    const { id: contactId } = await aContact(scene.ctx, { name: `Ana ${name}` });
    const runId = await aRun(scene.ctx, { automationId: id, contactId });
    const status = async () => (await reading((ctx) => getRun(ctx, runId))).status;
    return { id, runId, address: `${list()}/${id}`, status };
  };

  it('lets its runs finish, and cancels them afterwards when somebody asks for it', async () => {
    const { admin } = scene.people;
    const { id, address, status } = await running('Termina');
    const asked = (await admin.get(address)).text;
    expect(asked).toContain('What becomes of those in progress (1)?');
    expect(asked).not.toContain('value="activate"');

    const off = filledIn(asked, 'deactivate');
    expect(off).toEqual({ in_progress: 'finish' });
    expect((await admin.send(address, 'deactivate', off)).status).toBe(303);
    expect([(await stored(id)).status, await status()]).toEqual(['inactive', 'waiting']);

    const finishing = (await admin.get(address)).text;
    expect(finishing).toContain('some runs still finish');
    expect(finishing).toContain('name="ended"');
    const cancel = { in_progress: 'cancel', ended: 'yes' };
    expect((await admin.send(address, 'deactivate', cancel)).status).toBe(303);
    expect(await status()).toBe('cancelled');
    const over = (await admin.get(address)).text;
    expect(over).toContain('The runs in progress are cancelled.');
    expect(over).not.toContain('name="ended"');
  });

  it('cancels a single run at its own page, which shows its steps and nobody else’s', async () => {
    const { admin, viewer } = scene.people;
    const { id, runId, address, status } = await running('Uma');
    const other = await anAutomation(scene.ctx, { name: 'Outra' });
    const page = `${address}/runs/${runId}`;
    expect((await viewer.get(`${address}?status=waiting`)).text).toContain(`href="${page}"`);
    expect((await viewer.get(`${address}?status=failed`)).text).toContain('No run here.');
    const shown = await viewer.get(page);
    expect(shown.text).toContain('<code>send_message</code>');
    expect(shown.text).toContain('Ana Uma');
    expect(shown.text).not.toContain('name="action"');
    expect((await viewer.get(`${list()}/${other.id}/runs/${runId}`)).status).toBe(404);

    expect((await admin.send(page, 'cancel')).status).toBe(303);
    expect([await status(), (await stored(id)).status]).toEqual(['cancelled', 'active']);
    expect((await admin.send(page, 'cancel')).status).toBe(409);
  });
});

describe('starting an automation by hand', () => {
  const waiting = (id: string): Promise<unknown[]> =>
    reading(({ sql }) =>
      sql.rows('select contact_id, trigger from automation_triggers where automation_id = $1', [
        id,
      ]),
    );

  it('starts it for the chosen contact, and the log has who did it', async () => {
    const { admin } = scene.people;
    const { id } = await anActiveAutomation(scene.ctx, { name: 'À mão' });
    const { id: contact_id } = await aContact(scene.ctx, { name: 'Carla Reis' });
    const address = `${list()}/${id}`;
    expect((await admin.get(address)).text).toContain(`href="${address}/start"`);
    const found = await admin.send(`${address}/start`, 'find', { q: 'Carla' });
    expect(found.text).toContain(`value="${contact_id}"`);

    expect((await admin.send(`${address}/start`, 'start', { contact_id })).status).toBe(303);

    expect(await waiting(id)).toEqual([{ contact_id, trigger: { type: 'manual', ref: null } }]);
    const { text } = await admin.get(address);
    expect(text).toContain('It starts within moments');
    // As long as somebody looks, before it begins too.
    expect(text).toMatch(/<section id="runs" hx-get="[\s\S]*Runs in progress/);
    expect((await admin.get(`${scene.base}/audit`)).text).toContain(
      'Started an automation for a contact',
    );
  });

  it('starts it for nobody of another workspace, nor without a contact, nor while it is off', async () => {
    const { admin } = scene.people;
    const { id } = await anActiveAutomation(scene.ctx, { name: 'Para ninguém' });
    const address = `${list()}/${id}/start`;
    const other = await aWorkspace(scene.database);
    const { id: stranger } = await aContact(other.ctx, { name: 'Estranha' });
    for (const contact_id of [stranger, '']) {
      const refused = await admin.send(address, 'start', { contact_id, q: 'Estranha' });
      expect(refused.status).toBe(422);
      expect(refused.text).toContain('<a href="#f-contact-id">');
      expect(refused.text).not.toContain(stranger);
    }
    const { id: contact_id } = await aContact(scene.ctx);
    await admin.send(`${list()}/${id}`, 'deactivate', { in_progress: 'finish' });
    expect((await admin.get(`${list()}/${id}`)).text).not.toContain('/start"');
    expect((await admin.send(address, 'start', { contact_id })).status).toBe(409);
    expect(await waiting(id)).toEqual([]);
  });
});

describe('a run that another automation began', () => {
  it('says so, and leads to the run that did it', async () => {
    const { viewer } = scene.people;
    const { id: first } = await anActiveAutomation(scene.ctx, { name: 'Primeira' });
    const { id: second } = await anActiveAutomation(scene.ctx, { name: 'Segunda' });
    const { id: contactId } = await aContact(scene.ctx, { name: 'Bia' });
    const cause = await aRun(scene.ctx, { automationId: first, contactId });
    const begun = await aRun(scene.ctx, { automationId: second, contactId });
    await inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
      sql.rows('update automation_runs set trigger = $2, cause_run_id = $3 where id = $1', [
        ...[begun, JSON.stringify({ type: 'automation', ref: cause }), cause],
      ]),
    );

    const { text } = await viewer.get(`${list()}/${second}/runs/${begun}`);

    expect(text).toContain('another automation starts it');
    expect(text).toContain(`<a href="${list()}/${first}/runs/${cause}">Primeira</a>`);
  });
});

describe('trying an automation', () => {
  const rows = (): Promise<unknown[]> =>
    reading(({ sql }) =>
      sql.rows('select (select count(*) from automation_runs), (select count(*) from messages)'),
    );

  it('shows the conversation with an invented person, and keeps nothing of it', async () => {
    const { viewer } = scene.people;
    const { id } = await anAutomation(scene.ctx, {
      name: 'Pergunta',
      steps: [
        { id: 'q', type: 'send_message', text: 'Oi {{first_name}}!', next: 'w' },
        { id: 'w', type: 'wait_for_reply', timeout: 'P1D', next: 'thanks', on_timeout: 'end' },
        { id: 'thanks', type: 'send_message', text: 'Obrigada <3', next: 'end' },
        END,
      ],
    });
    const before = await rows();
    const address = `${list()}/${id}/simulate`;
    const wish: Fields = { name: 'Bia Lima', message: 'Olá', replies: 'sim\n\nP2D tarde demais' };

    const { status, text } = await viewer.send(address, 'simulate', wish);

    expect(status).toBe(200);
    expect(text).toContain('Oi Bia!');
    expect(text).toContain('Obrigada &lt;3');
    expect(text).toContain('Replies that no step waited for: 1.');
    expect(text).toContain('value="Bia Lima"');
    expect(await rows()).toEqual(before);
    const nobody = await viewer.send(address, 'simulate', { ...wish, name: 'n'.repeat(201) });
    expect(nobody.text).toContain('<a href="#f-name">');
    expect(nobody.text).toContain('id="f-name-error"');
  });
});

it('a simulation begins with a greeting in the language of the reader', async () => {
  const { id } = await anAutomation(scene.ctx, { name: 'Saudação' });
  const address = `${list()}/${id}/simulate`;
  const greeting = async (language: string): Promise<string | undefined> => {
    const { text } = await scene.people.viewer.get(address, { 'accept-language': language });
    return /name="message" type="text" value="([^"]*)"/.exec(text)?.[1];
  };

  expect([await greeting('en'), await greeting('pt-BR')]).toEqual(['Hi', 'Oi']);
});

it('a simulation begins without a message where none starts the automation', async () => {
  const trigger = { type: 'tag_added', tags: ['vip'] } as const;
  const { id } = await anAutomation(scene.ctx, { name: 'Etiqueta', trigger });
  const { text } = await scene.people.viewer.get(`${list()}/${id}/simulate`);

  expect(text).toContain('name="message" type="text" value=""');
});

describe('who may what with automations', () => {
  it('shows a Viewer and an Agent the definition, and no button that they cannot use', async () => {
    const { id } = await anActiveAutomation(scene.ctx, { name: 'De todos' });
    for (const person of [scene.people.viewer, scene.people.agent]) {
      const { status, text } = await person.get(`${list()}/${id}`);
      expect(status).toBe(200);
      expect(text).toContain('<pre tabindex="0" aria-label="Definition">');
      expect(text).not.toContain('name="action"');
      expect((await person.get(list())).text).not.toContain(`${list()}/new`);
    }
  });

  it('knows nothing of the automations and runs of another workspace', async () => {
    const { owner } = scene.people;
    const other = await aWorkspace(scene.database);
    const { id } = await anActiveAutomation(other.ctx, { name: 'Segredo' });
    const { id: contactId } = await aContact(other.ctx);
    const runId = await aRun(other.ctx, { automationId: id, contactId });
    const own = await anActiveAutomation(scene.ctx, { name: 'Própria' });
    const address = `${list()}/${id}`;
    const asked = [address, `${address}/simulate`, `${address}/start`, `${address}/runs/${runId}`];
    for (const path of [...asked, `${list()}/${own.id}/runs/${runId}`])
      expect([path, (await owner.get(path)).status]).toEqual([path, 404]);

    const sent: [string, string][] = [
      [address, 'save'],
      [address, 'activate'],
      [address, 'deactivate'],
      [`${address}/simulate`, 'simulate'],
      [`${address}/start`, 'start'],
      [`${address}/runs/${runId}`, 'cancel'],
    ];
    const fields = {
      name: 'Meu',
      definition: JSON.stringify({ trigger: { type: 'manual' }, steps: [END] }),
      seen: '',
      in_progress: 'cancel',
    };
    for (const [path, action] of sent)
      expect([action, (await owner.send(path, action, fields)).status]).toEqual([action, 404]);
    expect((await owner.get(list())).text).not.toContain('Segredo');
  });
});
