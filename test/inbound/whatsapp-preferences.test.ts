import { describe, expect, it } from '@jest/globals';
import { listContacts } from '../../src/contacts/service.ts';
import { transact } from '../../src/db/transact.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aMessageWebhook, aPreferenceWebhook } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { openWritingScene } from './support/writing.ts';

const scene = opened(openWritingScene);

describe("WhatsApp's own switch", () => {
  const prefers = async (
    waId: string,
    value: string,
    more: { readonly category?: string; readonly at?: Date } = {},
  ): Promise<void> => {
    await scene.stage.post(aPreferenceWebhook(scene.phoneNumberId, { waId, value, ...more }));
    await scene.stage.process();
  };

  it('opts a person out, says nothing to them, and takes back what it did', async () => {
    const from = scene.aPhone();
    await scene.writes(from, 'Oi');

    await prefers(from, 'stop');
    const stopped = await scene.standing(from);
    await prefers(from, 'resume');

    expect(stopped).toMatchObject({ opted_out: true, opt_out_source: 'whatsapp', said: [] });
    expect((await scene.standing(from))?.opted_out).toBe(false);
  });

  it('goes by when it was switched, not by when WhatsApp told of it', async () => {
    const known = scene.aPhone();
    const unknown = scene.aPhone();
    await scene.writes(known, 'Oi');
    const before = { at: new Date(Date.now() - 60_000) };

    for (const person of [known, unknown]) {
      await prefers(person, 'stop', { at: new Date(Date.now() - 30_000) });
      await prefers(person, 'resume', before);
    }

    expect(await scene.standing(known)).toMatchObject({ opted_out: true });
    expect((await aContact(scene.ctx, { phone: `+${unknown}` })).opted_out).toBe(true);
  });

  it('counts a stop that is told before an earlier resume', async () => {
    const known = scene.aPhone();
    const unknown = scene.aPhone();
    await scene.writes(known, 'Oi');
    const ago = (seconds: number) => ({ at: new Date(Date.now() - seconds * 1_000) });

    for (const person of [known, unknown]) {
      await prefers(person, 'stop', ago(90));
      await prefers(person, 'stop', ago(30));
      await prefers(person, 'resume', ago(60));
    }

    expect(await scene.standing(known)).toMatchObject({ opted_out: true });
    expect((await aContact(scene.ctx, { phone: `+${unknown}` })).opted_out).toBe(true);
  });

  it('does not take back what the person told us in words after it', async () => {
    const from = scene.aPhone();
    await scene.writes(from, 'Oi');
    await prefers(from, 'stop');
    await scene.writes(from, 'SAIR');

    await prefers(from, 'resume');

    const standing = await scene.standing(from);
    expect(standing).toMatchObject({
      opted_out: true,
      opt_out_source: 'message',
      evidence: 'SAIR',
    });
    const listed = await scene.rows(
      'select o.source from opt_outs o join contacts c on c.opt_out_message_id = o.evidence_message_id where c.phone = $1',
      [`+${from}`],
    );
    expect(listed).toEqual([{ source: 'message' }]);
  });

  it('never takes back what the person told us in words', async () => {
    const from = scene.aPhone();
    await scene.writes(from, 'STOP');

    await prefers(from, 'resume');

    expect(await scene.standing(from)).toMatchObject({
      opted_out: true,
      opt_out_source: 'message',
    });
  });

  it('holds for an unknown person, by phone and by WhatsApp’s id', async () => {
    const known = scene.aPhone();
    const resumed = scene.aPhone();

    await prefers(known, 'stop');
    await prefers('BR.1234567890', 'stop');
    await prefers(resumed, 'stop');
    await prefers(resumed, 'resume');
    await scene.stage.post(
      aMessageWebhook(scene.phoneNumberId, { id: 'wamid.hidden', userId: 'BR.1234567890' }),
    );
    await scene.stage.process();

    expect((await aContact(scene.ctx, { phone: `+${known}` })).opted_out).toBe(true);
    expect((await aContact(scene.ctx, { phone: `+${resumed}` })).opted_out).toBe(false);
    expect(
      await scene.rows(
        `select c.opted_out from contacts c join contact_identities i on i.contact_id = c.id
         where i.value = 'BR.1234567890'`,
      ),
    ).toEqual([{ opted_out: true }]);
  });

  it('is written down and changes the contact where its id turns out to be on the list', async () => {
    const from = scene.aPhone();
    await scene.writes(from, 'Oi');
    await prefers('BR.4455667788', 'stop');
    const before = new Date().toISOString();

    await scene.writes(from, 'Sou eu', { from_user_id: 'BR.4455667788' });

    const { data } = await transact(scene.ctx, (tx) =>
      listContacts(tx, { phone: `+${from}`, updated_since: before }, { limit: 1, after: null }),
    );
    expect(data).toMatchObject([{ opted_out: true, opt_out_source: 'whatsapp' }]);
    const entries = await scene.rows(
      "select changes from audit_entries where action = 'contact.opted_out' and target ->> 'id' = $1",
      [data[0]?.id],
    );
    expect(entries).toEqual([
      {
        changes: [
          { field: 'opted_out', from: false, to: true },
          { field: 'source', from: null, to: 'whatsapp' },
        ],
      },
    ]);
  });

  it('never takes back words that are on the list of an id which turns out to be theirs', async () => {
    const from = scene.aPhone();
    const user = 'BR.5566778899';
    await scene.rows(
      `insert into opt_outs (organization_id, identity_hash, source, created_at)
       values ($1, wms.identity_hash($1, 'wa_user', $2), 'message', now())`,
      [scene.ctx.organizationId, user],
    );
    await scene.writes(from, 'Oi');
    await prefers(from, 'stop');
    await scene.writes(from, 'Sou eu', { from_user_id: user });

    await prefers(from, 'resume');

    expect(await scene.standing(from)).toMatchObject({
      opted_out: true,
      opt_out_source: 'message',
    });
  });

  it('says nothing about other kinds of messages', async () => {
    const from = scene.aPhone();
    await scene.writes(from, 'Oi');

    await prefers(from, 'stop', { category: 'utility_messages' });

    expect((await scene.standing(from))?.opted_out).toBe(false);
  });
});
