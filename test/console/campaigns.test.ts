import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readCampaign } from '../../src/campaigns/reading.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aGroupOf } from '../campaigns/support/groups.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aSegment } from '../support/factories/segments.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
let numberId: string;
let segmentId: string;
let contactId: string;

beforeAll(async () => {
  scene = await aConsoleScene();
  numberId = (await aNumber(scene.ctx, { name: 'Vendas' })).id;
  segmentId = (await aSegment(scene.ctx, { name: 'Clientes' })).id;
  contactId = (await aContact(scene.ctx, { name: 'Ana <Souza>', phone: '+5511987654321' })).id;
});
afterAll(() => scene?.close());

const list = (): string => `${scene.base}/campaigns`;
const draft = (name = 'Aviso') =>
  aCampaign(scene.ctx, { name, number_id: numberId, contact_ids: [contactId], pace: 60 });
const campaignOf = (id: string) =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
    readCampaign({ ...scene.ctx, sql, now: new Date() }, id),
  );
const statusOf = async (id: string): Promise<string> => (await campaignOf(id)).status;

describe('writing a campaign', () => {
  const written = () => ({
    name: 'Natal',
    number_id: numberId,
    audience: `segment:${segmentId}`,
    text: 'Oi {{name|cliente}}!',
    pace: '60',
  });

  it('saves a draft, shows it, changes it, and sends nothing', async () => {
    const { owner } = scene.people;
    const made = await owner.send(`${list()}/new`, 'create', written());
    const address = made.headers.get('location') ?? '';
    expect([made.status, address]).toEqual([303, expect.stringContaining(`${list()}/cmp_`)]);
    const id = address.split('/').at(-1) ?? '';

    const shown = await owner.get(address);
    expect(shown.text).toContain('Nothing is sent yet.');
    expect(shown.text).toContain('Oi {{name|cliente}}!');
    const changed = await owner.send(`${address}/edit`, 'save', { ...written(), name: 'Páscoa' });
    expect([changed.status, changed.headers.get('location')]).toEqual([303, address]);
    expect((await owner.get(list())).text).toContain('Páscoa');
    expect(await statusOf(id)).toBe('draft');
  });

  it('keeps what was written, and says at the fields what is wrong', async () => {
    const { status, text } = await scene.people.owner.send(`${list()}/new`, 'create', {
      ...written(),
      name: '',
      text: 'Olá <b>',
    });

    expect(status).toBe(422);
    expect(text).toContain('<a href="#f-name">');
    expect(text).toContain('Olá &lt;b&gt;');
    expect(text).toMatch(new RegExp(`value="segment:${segmentId}" selected`));
  });

  it('goes to single contacts, searched for one after another, and keeps who was chosen', async () => {
    const { owner } = scene.people;
    const { id: second } = await aContact(scene.ctx, { name: 'Bruno Dias' });
    const wish = { ...written(), name: '', audience: 'contacts', contact_ids: contactId };
    const found = await owner.send(`${list()}/new`, 'find', { ...wish, q: 'bruno' });
    expect(found.status).toBe(200);
    expect(found.text).toMatch(new RegExp(`value="${contactId}" checked`));
    expect(found.text).toMatch(new RegExp(`value="${second}">`));

    const chosen = { ...wish, name: 'Dois', contact_ids: [contactId, second] };
    const none = await owner.send(`${list()}/new`, 'create', { ...chosen, contact_ids: [] });
    expect(none.status).toBe(422);
    expect(none.text).toContain('<a href="#f-contact-ids">');
    expect(none.text).toContain(' id="f-contact-ids"');
    const made = await owner.send(`${list()}/new`, 'create', chosen);
    const edit = (await owner.get(`${made.headers.get('location')}/edit`)).text;
    expect(edit).toContain('value="contacts" selected');
    for (const id of [contactId, second]) expect(edit).toMatch(new RegExp(`value="${id}" checked`));
  });

  it('of several groups keeps all of them when only its text is changed', async () => {
    const groups = [await aGroupOf(scene.ctx, numberId), await aGroupOf(scene.ctx, numberId)];
    const audience = { target: 'groups' as const, group_ids: groups.map((one) => one.id) };
    const wish = { ...audience, number_id: numberId, contact_ids: [], text: 'Oi!', pace: 10 };
    const { id } = await aCampaign(scene.ctx, wish);
    const edit = `${list()}/${id}/edit`;
    expect((await scene.people.owner.get(edit)).text).toContain('value="kept" selected>As it is');
    const changed = { ...written(), text: 'Olá!', audience: 'kept', pace: '10' };
    expect((await scene.people.owner.send(edit, 'save', changed)).status).toBe(303);
    expect(await campaignOf(id)).toMatchObject({ ...audience, text: 'Olá!' });
  });

  it('takes no segment and no number of another workspace', async () => {
    const other = await aWorkspace(scene.database);
    const foreign = await aSegment(other.ctx, { name: 'Deles' });
    const theirs = await aNumber(other.ctx, { name: 'Deles' });

    for (const wrong of [{ audience: `segment:${foreign.id}` }, { number_id: theirs.id }]) {
      const reply = await scene.people.owner.send(`${list()}/new`, 'create', {
        ...written(),
        ...wrong,
      });
      expect(reply.status).toBe(422);
      expect(reply.text).not.toContain('Deles');
    }
  });
});

describe('the page of a campaign', () => {
  it('shows who would get it and who not, and nothing is sent', async () => {
    const { id } = await draft();
    const { status, text } = await scene.people.owner.get(`${list()}/${id}/preview`);

    expect(status).toBe(200);
    expect(text).toMatch(/1 of 1 get it|0 of 1 get it/);
    expect(text).toContain('Nothing was sent.');
    expect(text).toContain('Ana &lt;Souza&gt;');
    expect(await statusOf(id)).toBe('draft');
  });

  it('takes each step from the states that have it, and shows no other', async () => {
    const { owner } = scene.people;
    const { id } = await draft();
    const address = `${list()}/${id}`;
    const buttons = async (): Promise<string[]> => {
      const { text } = await owner.get(address);
      return [...text.matchAll(/name="action" value="(\w+)"/g)].map(([, name = '']) => name);
    };

    expect(await buttons()).toEqual(['test', 'schedule', 'send', 'delete']);
    expect((await owner.send(address, 'schedule', { when: '2020-01-01T09:00' })).status).toBe(422);
    const next = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
    expect((await owner.send(address, 'schedule', { when: next })).status).toBe(303);
    expect(await buttons()).toEqual(['test', 'unschedule', 'cancel']);
    expect((await owner.send(address, 'unschedule')).status).toBe(303);
    expect((await owner.send(address, 'send')).status).toBe(303);
    expect(await statusOf(id)).toBe('sending');
    expect(await buttons()).toEqual(['test', 'pause', 'cancel']);
    expect((await owner.get(address)).text).toContain('hx-trigger="every 3s"');
    expect((await owner.send(address, 'pause')).status).toBe(303);
    expect(await buttons()).toEqual(['test', 'resume', 'cancel']);
    // A browser that still shows the buttons of before loads the page anew.
    expect((await owner.get(`${address}?seen=sending`)).headers.get('hx-refresh')).toBe('true');
    const early = await owner.send(address, 'send');
    expect([early.status, early.text.includes('role="alert"')]).toEqual([409, true]);
    expect((await owner.send(address, 'cancel')).status).toBe(303);
    expect(await buttons()).toEqual([]);
  });

  it('deletes a draft', async () => {
    const { id } = await draft();
    const done = await scene.people.owner.send(`${list()}/${id}`, 'delete');
    expect(done.headers.get('location')).toBe(list());
    expect((await scene.people.owner.get(`${list()}/${id}`)).status).toBe(404);
  });

  it('lets somebody who may write but not send write, and refuses the sending itself', async () => {
    const { id: memberId } = await aMember(scene.ctx, { options: ['campaigns.create'] });
    const writer = await scene.visitor(memberId);
    const { id } = await draft();
    const address = `${list()}/${id}`;

    const { text } = await writer.get(address);
    expect(text).toContain('value="delete"');
    for (const action of ['send', 'test', 'schedule']) {
      expect(text).not.toContain(`name="action" value="${action}"`);
      expect((await writer.send(address, action)).status).toBe(403);
    }
    expect(await statusOf(id)).toBe('draft');
  });

  it('shows a Viewer what there is, and no button', async () => {
    const { id } = await draft();
    const { viewer } = scene.people;
    expect((await viewer.get(`${list()}/new`)).status).toBe(403);
    expect((await viewer.get(`${list()}/${id}/edit`)).status).toBe(403);
    const { status, text } = await viewer.get(`${list()}/${id}`);
    expect(status).toBe(200);
    expect(text).not.toContain('name="action"');
  });
});

describe('results and lists', () => {
  it('shows what became of each person, by status', async () => {
    const { id } = await draft();
    await inWorkspace(scene.database, scene.ctx.organizationId, async (sql) => {
      await sql.rows(
        `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text, status, reason)
         values ($1, $2, 'rcp_01JD8B6V0R5Q9T3XK2M7N4P1WZ', $3, $3, '+5511987654321', 'Oi', 'failed', 'no_whatsapp')`,
        [scene.ctx.organizationId, id, contactId],
      );
    });
    const address = `${list()}/${id}/recipients`;

    const all = await scene.people.viewer.get(address);
    const failed = await scene.people.viewer.get(`${address}?status=failed`);
    const read = await scene.people.viewer.get(`${address}?status=read`);

    for (const { text } of [all, failed]) expect(text).toContain('+5511987654321');
    expect(read.text).toContain('Nobody here.');
    const file = await scene.people.owner.get(`${address}.csv`);
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''${id}.csv`);
    expect(file.text.split('\r\n').slice(0, 2)).toEqual([
      'recipient_id,contact_id,group_id,phone,status,reason,settled_at',
      `rcp_01JD8B6V0R5Q9T3XK2M7N4P1WZ,${contactId},,+5511987654321,failed,no_whatsapp,`,
    ]);
  });

  it('goes through the list page by page, and filters it by status', async () => {
    for (let i = 0; i < 52; i += 1) await draft(`Número ${i}`);
    const { owner } = scene.people;

    const first = await owner.get(list());
    const next = /href="([^"]*after=cmp_[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&');
    const second = await owner.get(next ?? '');
    const none = await owner.get(`${list()}?status=done`);

    expect(first.text).toContain('Número 51');
    expect(first.text).not.toContain('Número 0<');
    expect(second.text).toContain('Número 0<');
    expect(none.text).toContain('No campaign here.');
  });

  it("answers another workspace's campaign as missing", async () => {
    const other = await aWorkspace(scene.database);
    const number = await aNumber(other.ctx, { name: 'Deles' });
    const contact = await aContact(other.ctx, { name: 'Bia' });
    const wishes = { name: 'Segredo', number_id: number.id, contact_ids: [contact.id] };
    const { id } = await aCampaign(other.ctx, wishes);

    for (const below of ['', '/edit', '/preview', '/recipients', '/recipients.csv']) {
      const { status, text } = await scene.people.owner.get(`${list()}/${id}${below}`);
      expect([below, status]).toEqual([below, 404]);
      expect(text).not.toContain('Segredo');
    }
    expect((await scene.people.owner.send(`${list()}/new`, 'create', {})).status).toBe(422);
  });
});
