import { describe, expect, it } from '@jest/globals';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { type ContactPatch, contactPatchBody } from '../../src/contacts/schema.ts';
import { updateContact } from '../../src/contacts/service.ts';
import { transact } from '../../src/db/transact.ts';
import { untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aStatusWebhook } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { openWritingScene } from './support/writing.ts';

const writing = opened(openWritingScene);

const NO_WHATSAPP = 131026;

interface Person {
  readonly id: string;
  readonly phone: string;
  /** A message to the person, so many days ago, of which WhatsApp tells this now. */
  hears(status: string, daysAgo?: number): Promise<void>;
  standing(): Promise<string | undefined>;
}

async function aPerson(): Promise<Person> {
  const { ctx, numberId, phoneNumberId, stage, rows } = writing;
  const phone = writing.aPhone();
  const { id } = await aContact(ctx, { phone: `+${phone}` });
  const conversationId = await aConversation(ctx, { numberId, contactId: id });
  return {
    id,
    phone,
    hears: async (status, daysAgo = 0) => {
      const createdAt = new Date(Date.now() - daysAgo * 24 * 3600_000);
      const message = { numberId, contactId: id, conversationId, createdAt };
      const [key = ''] = await someMessages(ctx, { ...message, status: 'sent', sentAt: createdAt });
      const code = status === 'failed' ? { code: NO_WHATSAPP } : {};
      await stage.post(
        aStatusWebhook(phoneNumberId, [{ id: `wamid.${key}`, status, key, ...code }]),
      );
      await stage.process();
    },
    standing: async () => {
      const found = await rows<{ status: string }>(
        'select whatsapp_status as status from contacts where id = $1',
        [id],
      );
      return found[0]?.status;
    },
  };
}

const change = (id: string, patch: Partial<ContactPatch>): Promise<unknown> =>
  updateContact(writing.ctx, id, contactPatchBody.parse(patch));

describe('whether a person is on WhatsApp', () => {
  it.each(['delivered', 'read'])(
    'is known when a message is %s, not when it is sent',
    async (how) => {
      const person = await aPerson();

      await person.hears('sent');
      const before = await person.standing();
      await person.hears(how);

      expect([before, await person.standing()]).toEqual(['unknown', 'valid']);
    },
  );

  it('is known though the contact is changed at the moment of the delivery', async () => {
    const person = await aPerson();

    const { told } = await transact({ ...writing.ctx, now: new Date() }, async (tx) => {
      await tx.sql.rows("update contacts set name = 'Bia' where id = $1", [person.id]);
      const told = person.hears('delivered');
      await untilWaiting(writing.stage.database.app);
      return { told };
    });
    await told;

    expect(await person.standing()).toBe('valid');
  });

  it('is denied by two losses 7 days apart, never by one, nor by many within 7 days', async () => {
    const person = await aPerson();

    await person.hears('failed', 8);
    const once = await person.standing();
    for (const days of [7, 5, 1.1]) await person.hears('failed', days);
    const within = await person.standing();
    await person.hears('failed', 0.9);

    expect([once, within, await person.standing()]).toEqual(['unknown', 'unknown', 'invalid']);
  });

  it('is counted anew after anything that arrived between the two', async () => {
    const person = await aPerson();

    await person.hears('failed', 20);
    await person.hears('delivered', 10);
    await person.hears('failed', 1);
    const again = await person.standing();
    await person.hears('read', 0.5);
    await person.hears('failed');

    expect([again, await person.standing()]).toEqual(['valid', 'valid']);
  });

  it('is counted anew after the person wrote', async () => {
    const person = await aPerson();

    await person.hears('failed', 20);
    await writing.writes(person.phone, 'Oi');
    await person.hears('failed');

    expect(await person.standing()).toBe('valid');
  });

  it.each([
    ['something arrives', (person: Person) => person.hears('delivered')],
    ['the person writes', (person: Person) => writing.writes(person.phone, 'Cheguei')],
  ])('is true again when %s', async (_, happens) => {
    const person = await aPerson();
    await person.hears('failed', 8);
    await person.hears('failed');
    const denied = await person.standing();

    await happens(person);

    expect([denied, await person.standing()]).toEqual(['invalid', 'valid']);
  });

  it('is open again with another phone: what the old one lost is forgotten', async () => {
    const person = await aPerson();
    await person.hears('failed', 8);

    await change(person.id, { phone: `+${writing.aPhone()}` });
    await person.hears('failed');

    expect(await person.standing()).toBe('unknown');
  });

  it('is not doubted for what the other phone of a merge lost', async () => {
    const person = await aPerson();
    const other = await aPerson();
    await other.hears('failed', 8);

    await mergeContacts(writing.ctx, person.id, other.id);
    await person.hears('failed');

    expect(await person.standing()).toBe('unknown');
  });
});
