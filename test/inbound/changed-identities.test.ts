import { describe, expect, it } from '@jest/globals';
import { aContact } from '../support/factories/contacts.ts';
import { aChangeWebhook, aMessageWebhook, aPreferenceWebhook } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { openWritingScene } from './support/writing.ts';

const scene = opened(openWritingScene);

let ids = 0;
const anId = (): string => `BR.66001122${10 + ++ids}`;

const changes = async (wire: Parameters<typeof aChangeWebhook>[1]): Promise<void> => {
  await scene.stage.post(aChangeWebhook(scene.phoneNumberId, wire));
  await scene.stage.process();
};

/** As Meta tells it: a new phone brings a new id along. */
const newPhone = (from: string, to: string, [previous, user] = [anId(), anId()]) => ({
  from,
  type: 'user_changed_number',
  body: `User Ana changed from ${from} to ${to}`,
  wa_id: to,
  user_id: user,
  previous_user_id: previous,
});

const prefers = async (waId: string, value: string): Promise<void> => {
  await scene.stage.post(aPreferenceWebhook(scene.phoneNumberId, { waId, value }));
  await scene.stage.process();
};

/** A person's standing by WhatsApp's id. */
const standingOf = (user: string) =>
  scene.rows(
    `select c.opted_out, c.opt_out_source from contacts c join contact_identities i on i.contact_id = c.id
     where i.value = $1`,
    [user],
  );

describe('a person who opted out and has another phone', () => {
  it('is opted out there, by the same words, whether they show the phone or not', async () => {
    const before = scene.aPhone();
    const shown = scene.aPhone();
    const hidden = anId();
    await scene.writes(before, 'SAIR');

    await changes(newPhone(before, shown, [anId(), hidden]));
    await scene.writes(shown, 'Oi');
    await scene.writes('', 'Oi', { from: undefined, userId: hidden });

    expect(await scene.standing(shown)).toMatchObject({ opted_out: true, evidence: 'SAIR' });
    expect(await standingOf(hidden)).toEqual([{ opted_out: true, opt_out_source: 'message' }]);
    // No contact changes: the phone of before may be somebody else's soon.
    expect(await scene.standing(before)).toMatchObject({ opted_out: true });
  });

  it.each([
    ['a new id with the one before', (before: string) => ({ previous_user_id: before })],
    ['who has a new id', (before: string) => ({ from: before })],
  ])('is opted out where WhatsApp tells only %s', async (_, named) => {
    const before = anId();
    const after = anId();
    await scene.writes('', 'STOP', { userId: before });

    await changes({ type: 'user_changed_user_id', user_id: after, ...named(before) });
    await scene.writes('', 'Oi', { userId: after });

    expect(await standingOf(after)).toEqual([{ opted_out: true, opt_out_source: 'message' }]);
  });

  it('is opted out where a contact has that phone already', async () => {
    const before = scene.aPhone();
    const after = scene.aPhone();
    const hidden = anId();
    const { id } = await aContact(scene.ctx, { phone: `+${after}` });
    await scene.writes(before, 'STOP');

    await changes(newPhone(before, after, [anId(), hidden]));
    await changes(newPhone(before, after, [anId(), hidden]));
    await scene.writes('', 'Oi', { from: undefined, userId: hidden });

    expect(await scene.standing(after)).toMatchObject({ id, opted_out: true, evidence: 'STOP' });
    // It did not know the new id, by which they may write first.
    expect(await standingOf(hidden)).toMatchObject([{ opted_out: true }]);
    const logged = await scene.rows(
      "select from audit_entries where action = 'contact.opted_out' and target ->> 'id' = $1",
      [id],
    );
    expect(logged).toHaveLength(1);
  });

  it('is heard in the order in which it was posted, although all of it is taken in at once', async () => {
    const before = scene.aPhone();
    const after = scene.aPhone();
    const said = (id: string, from: string, text: string) =>
      scene.stage.post(aMessageWebhook(scene.phoneNumberId, { id, from, text }));

    await said('wamid.in.turn.1', before, 'STOP');
    await scene.stage.post(aChangeWebhook(scene.phoneNumberId, newPhone(before, after)));
    await said('wamid.in.turn.2', after, 'Oi');
    await scene.stage.process();

    expect(await scene.standing(after)).toMatchObject({ opted_out: true, evidence: 'STOP' });
  });

  it('stays in by a START from the new phone that came before the news', async () => {
    const before = scene.aPhone();
    const after = scene.aPhone();
    const ago = (seconds: number) => ({
      timestamp: `${Math.floor(Date.now() / 1_000) - seconds}`,
    });
    await scene.writes(before, 'STOP', ago(60));
    await scene.writes(after, 'START', ago(30));

    await changes(newPhone(before, after));

    expect(await scene.standing(after)).toMatchObject({ opted_out: false });
    // The list does not know the new phone either.
    await scene.writes(after, 'Oi', { from_user_id: anId() });
    expect(await scene.standing(after)).toMatchObject({ opted_out: false });
  });

  it('is out by their words, though they switched WhatsApp to that later', async () => {
    const before = scene.aPhone();
    const after = scene.aPhone();
    const id = anId();
    const timestamp = `${Math.floor(Date.now() / 1_000) - 60}`;
    await scene.writes(before, 'STOP', { timestamp });
    await prefers(id, 'stop');

    await changes(newPhone(before, after, [id, anId()]));
    await scene.writes(after, 'Oi');

    expect(await scene.standing(after)).toMatchObject({
      opted_out: true,
      opt_out_source: 'message',
      evidence: 'STOP',
    });
  });

  it('comes back by the switch in WhatsApp where that is how they left', async () => {
    const before = scene.aPhone();
    const after = scene.aPhone();
    await prefers(before, 'stop');

    await changes(newPhone(before, after));
    await scene.writes(after, 'Oi');
    const moved = await scene.standing(after);
    await prefers(after, 'resume');

    expect(moved).toMatchObject({ opted_out: true, opt_out_source: 'whatsapp' });
    expect(await scene.standing(after)).toMatchObject({ opted_out: false });
  });
});

it('a person who wants messages, or wants them again, gets them at the new phone too', async () => {
  const content = scene.aPhone();
  const back = scene.aPhone();
  await scene.writes(content, 'Oi');
  await scene.writes(back, 'STOP');
  await scene.writes(back, 'VOLTAR');

  for (const before of [content, back]) {
    const after = scene.aPhone();
    await changes(newPhone(before, after));
    expect((await aContact(scene.ctx, { phone: `+${after}` })).opted_out).toBe(false);
  }
});

it.each([
  ['that says no new one', {}],
  ['of another kind', { type: 'customer_identity_changed' }],
])('a notice of an identity %s changes nothing', async (_, system) => {
  const before = scene.aPhone();
  const after = scene.aPhone();
  await scene.writes(before, 'STOP');
  const { from, wa_id, ...told } = newPhone(before, after);

  await changes({ from, ...told, user_id: undefined, ...system });

  expect((await aContact(scene.ctx, { phone: `+${after}` })).opted_out).toBe(false);
  expect(scene.stage.counts.unreadable).toBeUndefined();
});
