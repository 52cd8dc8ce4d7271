import { beforeEach, describe, expect, it } from '@jest/globals';
import { deleteContact } from '../../src/contacts/deleting.ts';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { createContact } from '../../src/contacts/service.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { untilWaiting } from '../support/database.ts';
import { aForm, PHONE } from '../support/factories/forms.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import {
  aFormScene,
  aPhone,
  contactOf,
  freshCounters,
  openPage,
  sendPage,
  submissionsOf,
} from './support/scene.ts';

const scene = opened(aFormScene);
beforeEach(() => freshCounters(scene.database));

describe('a form behind a personal link', () => {
  async function linkFor(formId: string, contactId: string, days = 30) {
    return scene.api.call('POST', `/api/v1/forms/${formId}/links`, {
      key: scene.key,
      body: { contact_id: contactId, days },
    });
  }
  const pathOf = (url: string): string => url.replace('http://api.test', '');

  it('is answered as the contact of the link, who need not say who they are', async () => {
    const person = await createContact(scene.ctx, { name: 'Rui', phone: aPhone().e164 });
    const { id } = await aForm(scene.ctx, {
      personal_link: true,
      fields: [{ type: 'text', label: 'Cor', required: true, save_to: 'custom.cor' }],
    });
    const link = await linkFor(id, person.id);
    expect(link.status).toBe(201);
    expect(link.body.url).not.toContain(person.id);
    const page = await openPage(scene, pathOf(link.body.url));
    const c = new URL(link.body.url).searchParams.get('c') ?? '';

    const reply = await sendPage(scene, id, {
      token: page.token,
      answers: { cor: 'azul' },
      other: { c },
    });

    expect([page.status, reply.status]).toEqual([200, 200]);
    expect(page.html).toContain(`name="c" value="${c}"`);
    expect(await submissionsOf(scene, id)).toMatchObject([
      { contact_id: person.id, outcome: 'contact_updated' },
    ]);
    expect((await contactOf(scene, person.id)).custom).toEqual({ cor: 'azul' });
  });

  it('leaves a phone with whoever is given it at that moment, and keeps the answer', async () => {
    const person = await createContact(scene.ctx, { name: 'Rui', phone: aPhone().e164 });
    const { written, e164 } = aPhone();
    const fields = [{ type: 'phone', label: 'WhatsApp', save_to: 'phone' }] as const;
    const { id } = await aForm(scene.ctx, { personal_link: true, fields });
    const { url } = (await linkFor(id, person.id)).body;
    const { token } = await openPage(scene, pathOf(url));
    const c = new URL(url).searchParams.get('c') ?? '';

    const { sent, other } = await transact(scene.ctx, async (tx) => {
      const other = await createContact(tx, { name: 'Lia', phone: e164 });
      const sent = sendPage(scene, id, { token, answers: { whatsapp: written }, other: { c } });
      await untilWaiting(scene.database.system);
      return { sent, other };
    });

    expect((await sent).status).toBe(200);
    expect(await submissionsOf(scene, id)).toMatchObject([
      { contact_id: person.id, outcome: 'contact_conflict', conflict_contact_id: other.id },
    ]);
  });

  it('is not found without the link, with another form’s, a changed one, or one that has ended', async () => {
    const person = await createContact(scene.ctx, { name: 'Rui', phone: aPhone().e164 });
    const fields = [{ label: 'Cor' }];
    const { id } = await aForm(scene.ctx, { personal_link: true, fields });
    const other = await aForm(scene.ctx, { personal_link: true, fields });
    const good = pathOf((await linkFor(id, person.id, 1)).body.url);
    const foreign = pathOf((await linkFor(other.id, person.id)).body.url);

    expect((await openPage(scene, good)).status).toBe(200);
    expect((await openPage(scene, `/f/${id}`)).status).toBe(404);
    expect((await openPage(scene, foreign.replace(other.id, id))).status).toBe(404);
    expect((await openPage(scene, `${good.slice(0, -6)}AAAAAA`)).status).toBe(404);
    scene.setNow(new Date(Date.now() + 25 * 3_600_000));
    expect((await openPage(scene, good)).status).toBe(404);
    scene.setNow(null);
    await rowsOf(scene.ctx, 'delete from contacts where id = $1', [person.id]);
    expect((await openPage(scene, good)).status).toBe(404);
  });

  it("takes a new phone, but not another contact's", async () => {
    const mine = aPhone();
    const theirs = aPhone();
    const person = await createContact(scene.ctx, { name: 'Rui' });
    const other = await createContact(scene.ctx, { name: 'Eva', phone: theirs.e164 });
    const { id } = await aForm(scene.ctx, {
      personal_link: true,
      fields: [{ ...PHONE, required: false }],
    });
    const url = (await linkFor(id, person.id)).body.url as string;
    const c = new URL(url).searchParams.get('c') ?? '';
    const send = async (whatsapp: string) => {
      const { token } = await openPage(scene, pathOf(url));
      await sendPage(scene, id, { token, answers: { whatsapp }, other: { c } });
      return (await submissionsOf(scene, id))[0];
    };

    expect(await send(theirs.written)).toMatchObject({
      contact_id: person.id,
      outcome: 'contact_conflict',
      conflict_contact_id: other.id,
    });
    expect((await contactOf(scene, person.id)).phone).toBeNull();
    expect(await send(mine.written)).toMatchObject({ outcome: 'contact_updated' });
    expect((await contactOf(scene, person.id)).phone).toBe(mine.e164);
  });

  it('keeps the address of who gives it along with the phone of another contact', async () => {
    const theirs = aPhone();
    const person = await createContact(scene.ctx, { name: 'Rui' });
    const other = await createContact(scene.ctx, { name: 'Eva', phone: theirs.e164 });
    const { id } = await aForm(scene.ctx, {
      personal_link: true,
      fields: [PHONE, { type: 'email', label: 'E-mail', save_to: 'email' }],
    });
    const url = (await linkFor(id, person.id)).body.url as string;
    const c = new URL(url).searchParams.get('c') ?? '';
    const { token } = await openPage(scene, pathOf(url));
    const answers = { whatsapp: theirs.written, e_mail: 'rui@example.com' };

    await sendPage(scene, id, { token, answers, other: { c } });

    expect(await submissionsOf(scene, id)).toMatchObject([
      { contact_id: person.id, outcome: 'contact_conflict', conflict_contact_id: other.id },
    ]);
    expect((await contactOf(scene, person.id)).email).toBe('rui@example.com');
  });

  it('is answered as whom the contact was merged into, twice over, until they are deleted', async () => {
    const [person, second, last] = await Promise.all(
      ['Rui', 'Rui S', 'Rui Silva'].map((name) => createContact(scene.ctx, { name })),
    );
    if (!person || !second || !last) throw new TypeError('three contacts');
    const fields = [{ type: 'text', label: 'Cor', required: true, save_to: 'custom.cor' }] as const;
    const { id } = await aForm(scene.ctx, { personal_link: true, fields: [...fields] });
    const url = (await linkFor(id, person.id)).body.url as string;
    const c = new URL(url).searchParams.get('c') ?? '';
    const early = await openPage(scene, pathOf(url));

    await mergeContacts(scene.ctx, second.id, person.id);
    await mergeContacts(scene.ctx, last.id, second.id);
    const late = await openPage(scene, pathOf(url));
    const reply = await sendPage(scene, id, {
      token: early.token,
      answers: { cor: 'azul' },
      other: { c },
    });

    expect([late.status, reply.status]).toEqual([200, 200]);
    expect((await contactOf(scene, last.id)).custom).toEqual({ cor: 'azul' });
    await deleteContact(scene.ctx, last.id, []);
    expect((await openPage(scene, pathOf(url))).status).toBe(404);
  });

  it('is made only for a published form that asks for no identity, and for a contact that exists', async () => {
    const person = await createContact(scene.ctx, { name: 'Rui' });
    const open = await aForm(scene.ctx);
    const draft = await aForm(scene.ctx, { personal_link: true, draft: true });
    const live = await aForm(scene.ctx, { personal_link: true });

    const codes = [
      await linkFor(open.id, person.id),
      await linkFor(draft.id, person.id),
      await linkFor(live.id, newId('con')),
    ].map(({ status, body }) => [status, body.error.code]);

    expect(codes).toEqual([
      [409, 'conflict'],
      [409, 'invalid_state'],
      [422, 'unknown_contact'],
    ]);
  });
});
