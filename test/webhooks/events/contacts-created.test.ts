import { beforeAll, describe, expect, it } from '@jest/globals';
import { system } from '../../../src/access/actor.ts';
import { importSome } from '../../../src/contacts/imports/steps.ts';
import { createContact } from '../../../src/contacts/service.ts';
import { createContext } from '../../../src/db/contexts.ts';
import { imported } from '../../contacts/support/imports.ts';
import { aForm } from '../../support/factories/forms.ts';
import { aMessageWebhook } from '../../support/inbound.ts';
import { aMember } from '../../support/members.ts';
import { REFUSE_NO_MORE, refuseEventsWith } from './support/refusing.ts';
import { eventScene, type Shop } from './support/scene.ts';

const { scene, aShop, arrives, owner } = eventScene();

let shop: Shop;
beforeAll(async () => {
  shop = await aShop();
});

const named = async (name: string) =>
  (await shop.events('contact.created')).filter(({ contact }) => contact.name === name);

const idOf = async (name: string): Promise<string> => {
  const [row] = await shop.rows<{ id: string }>('select id from contacts where name = $1', [name]);
  return row?.id ?? '';
};

/** The whole data of the event of a contact that has a name and a phone only. */
const told = (id: string, { name, phone }: { name: string; phone: string }, way: object) => ({
  contact: { id, name, phone, email: '', tags: [], ...way },
  contact_id: id,
  conversation_id: null,
  number_id: null,
});

/** Sends the public page of a form, as a browser does. */
async function fillIn(formId: string, answers: Record<string, string>): Promise<void> {
  const page = await fetch(`${scene.api.url}/f/${formId}`);
  const token = /name="token" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const { status } = await scene.api.call('POST', `/f/${formId}`, {
    body: new URLSearchParams({ token, ...answers }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(status).toBe(200);
}

const BY_KEY = { type: 'api', id: expect.stringMatching(/^sva_/) };

describe('contact.created', () => {
  it('is told of one that the API makes, with what it holds, once for a replayed request', async () => {
    const body = {
      name: 'Bia',
      phone: '+5511987650001',
      email: 'bia@example.com',
      tags: ['vip', 'bolo'],
    };

    for (let round = 0; round < 2; round++)
      await shop.call('POST', '/contacts', body, { idempotencyKey: 'bia-1' });
    const refused = await shop.call('POST', '/contacts', body);

    const id = await idOf('Bia');
    expect(refused.status).toBe(409);
    expect(await named('Bia')).toEqual([
      {
        contact: { id, ...body, origin: 'import', created_via: 'api' },
        created_by: BY_KEY,
        contact_id: id,
        conversation_id: null,
        number_id: null,
      },
    ]);
  });

  it('is told of one that a person makes by hand', async () => {
    const person = await aMember(shop.ctx, { role: 'agent', console: true });
    const body = { name: 'Caio', phone: '+5511987650002' };

    const { body: made } = await shop.call('POST', '/contacts', body, { key: person.token });

    expect(await named('Caio')).toEqual([
      {
        ...told(made.id, body, { origin: 'team', created_via: 'member' }),
        created_by: { type: 'member', id: person.id },
      },
    ]);
  });

  it('is told of whom a message is sent to by a phone that nobody had', async () => {
    const phone = '+5511987650003';
    const body = { number_id: shop.numberId, phone, text: 'Olá!' };

    for (let round = 0; round < 2; round++) await shop.call('POST', '/messages', body);

    const events = await shop.events('contact.created');
    expect(events.filter(({ contact }) => contact.phone === phone)).toMatchObject([
      { contact: { name: '', origin: 'import', created_via: 'api' }, created_by: BY_KEY },
    ]);
  });

  it('is told of each new person of an imported file, and of nobody in the same file again', async () => {
    const file = 'name,phone\nDora,+5511987650004\nEva,+5511987650005\nDora,+5511987650004';
    const contextFor: Parameters<typeof importSome>[0] = (organizationId, actor) =>
      createContext(
        { database: scene.database, wake: () => {} },
        { organizationId, actor, now: new Date() },
      );
    for (let round = 0; round < 2; round++) {
      const { id: importId } = await imported(scene.api, shop.key, file);
      const ref = { organizationId: shop.ctx.organizationId, importId };
      await importSome(contextFor, ref, () => true);
    }

    const dora = { name: 'Dora', phone: '+5511987650004' };
    expect(await named('Dora')).toEqual([
      {
        ...told(await idOf('Dora'), dora, { origin: 'import', created_via: 'import' }),
        created_by: BY_KEY,
      },
    ]);
    expect(await named('Eva')).toHaveLength(1);
  });

  it('is told of who fills a form in for the first time', async () => {
    const { id } = await aForm(shop.ctx, {
      tag: 'newsletter',
      fields: [
        { type: 'text', label: 'Nome', save_to: 'name' },
        { type: 'phone', label: 'WhatsApp', save_to: 'phone', required: true },
        { type: 'email', label: 'E-mail', save_to: 'email' },
      ],
    });
    const answers = { a_nome: 'Fábio', a_whatsapp: '+5511987650006', a_e_mail: 'f@example.com' };

    for (let round = 0; round < 2; round++) await fillIn(id, answers);

    const contactId = await idOf('Fábio');
    expect(await named('Fábio')).toEqual([
      {
        contact: {
          id: contactId,
          name: 'Fábio',
          phone: '+5511987650006',
          email: 'f@example.com',
          tags: ['newsletter'],
          origin: 'form',
          created_via: 'form',
        },
        created_by: { type: 'system', id: null },
        contact_id: contactId,
        conversation_id: null,
        number_id: null,
      },
    ]);
  });

  it('is told of who writes for the first time, also when the phone is hidden', async () => {
    const way = { origin: 'direct', created_via: 'message' };
    for (const id of ['wamid.n1', 'wamid.n2']) {
      const wire = { id, from: '5511987650007', name: 'Gil' };
      await arrives(aMessageWebhook(shop.phoneNumberId, wire));
    }
    await arrives(
      aMessageWebhook(shop.phoneNumberId, { id: 'wamid.n3', userId: 'BR.8', name: 'Hugo' }),
    );

    const created_by = { type: 'system', id: null };
    const gil = { name: 'Gil', phone: '+5511987650007' };
    expect(await named('Gil')).toEqual([{ ...told(await idOf('Gil'), gil, way), created_by }]);
    const hugo = { name: 'Hugo', phone: '' };
    expect(await named('Hugo')).toEqual([{ ...told(await idOf('Hugo'), hugo, way), created_by }]);
  });

  it('names the automation that makes one', async () => {
    const actor = { type: 'automation', id: 'atm_1', name: 'Captura' } as const;
    const body = { name: 'Iara', phone: '+5511987650008' };

    const { id } = await createContact({ ...shop.ctx, actor }, body);

    expect(await named('Iara')).toEqual([
      {
        ...told(id, body, { origin: 'team', created_via: 'automation' }),
        created_by: { type: 'automation', id: 'atm_1' },
      },
    ]);
  });

  it('is kept if and only if the contact is', async () => {
    await owner(refuseEventsWith('Ninguém'));
    const body = { name: 'Ninguém', phone: '+5511987650009' };

    const refused = await shop.call('POST', '/contacts', body);
    const left = [await idOf('Ninguém'), await named('Ninguém')];
    await owner(REFUSE_NO_MORE);
    await createContact({ ...shop.ctx, actor: system('tests') }, body);

    expect([refused.status, left]).toEqual([500, ['', []]]);
    expect(await named('Ninguém')).toHaveLength(1);
  });
});
