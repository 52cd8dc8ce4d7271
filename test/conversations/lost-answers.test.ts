import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { lostOutcome } from '../../src/conversations/lane/outcomes.ts';
import { settle } from '../../src/conversations/lane/settling.ts';
import { sendToConversation } from '../../src/conversations/sending/sending.ts';
import { closeConversation } from '../../src/conversations/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { openWritingScene } from '../inbound/support/writing.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aStatusWebhook } from '../support/inbound.ts';
import { memberActor } from '../support/members.ts';
import { opened } from '../support/opened.ts';

const place = opened(openWritingScene);

/** A person who asked something; their conversation. */
async function asked(from = place.aPhone()): Promise<string> {
  await place.writes(from, 'Tem bolo para sábado?');
  const [talk] = await place.rows<{ id: string }>(
    `select v.id from conversations v join contacts c on c.id = v.contact_id where c.phone = $1`,
    [`+${from}`],
  );
  return talk?.id ?? '';
}

const asMember = () => ({
  ...place.ctx,
  em: place.ctx.em.fork(),
  now: new Date(),
  actor: { ...memberActor({ console: true }), permissions: new Set(['groups.send'] as const) },
});

async function says(conversationId: string, text: string): Promise<string> {
  return ((await sendToConversation(asMember(), conversationId, { text })) as { id: string }).id;
}

async function reported(id: string, status: 'delivered' | 'failed'): Promise<void> {
  const report = {
    id: `wamid.${id}`,
    key: id,
    status,
    ...(status === 'failed' && { code: 131026 }),
  };
  await place.stage.post(aStatusWebhook(place.phoneNumberId, [report]));
  await place.stage.process();
}

const TOKEN = '0195c1f0-0000-7000-8000-000000000001';

/** The lane could not send it. */
async function givenUp(messageId: string): Promise<void> {
  const { organizationId } = place.ctx;
  await place.rows('update outgoing_messages set claim_token = $1', [TOKEN]);
  const request = { organizationId, token: TOKEN, now: new Date() };
  const outcome = lostOutcome('number_unavailable', 'The number is away.');
  await inWorkspace(place.stage.database, organizationId, (sql) =>
    settle(sql, request, [{ messageId, outcome }]),
  );
}

async function state(id: string): Promise<unknown> {
  const [row] = await place.rows(
    'select status, waiting_since is not null as waits, unread from conversations where id = $1',
    [id],
  );
  return row;
}

const WAITS = { status: 'open', waits: true, unread: 1 };
const ANSWERED = { status: 'open', waits: false, unread: 0 };

describe('whoever was answered', () => {
  it.each([
    ['cannot be sent', givenUp],
    ['is lost by WhatsApp later', (id: string) => reported(id, 'failed')],
  ])('waits again when the answer %s', async (_, loses) => {
    const talk = await asked();
    const answer = await says(talk, 'Temos!');
    const before = await state(talk);

    await loses(answer);

    expect([before, await state(talk)]).toEqual([ANSWERED, WAITS]);
  });

  it('waits again only when all answers are lost', async () => {
    const talk = await asked();
    const first = await says(talk, 'Temos!');
    const second = await says(talk, 'De chocolate.');
    await reported(first, 'failed');
    const between = await state(talk);

    await reported(second, 'failed');

    expect([between, await state(talk)]).toEqual([ANSWERED, WAITS]);
  });

  it('goes on waiting since they wrote again, when an earlier answer is lost', async () => {
    const from = place.aPhone();
    const talk = await asked(from);
    const answer = await says(talk, 'Temos!');
    await place.writes(from, 'E de chocolate?');
    const since = () => place.rows('select waiting_since from conversations where id = $1', [talk]);
    const before = await since();

    await reported(answer, 'failed');

    expect(await since()).toEqual(before);
    expect(await state(talk)).toEqual(WAITS);
  });

  it('does not wait when the next answer is given in the moment of the loss', async () => {
    const talk = await asked();
    const answer = await says(talk, 'Temos!');
    let losing = Promise.resolve();

    await transact(asMember(), async (tx) => {
      await sendToConversation(tx, talk, { text: 'De chocolate.' });
      losing = reported(answer, 'failed');
      await sleep(1_000);
    });
    await losing;

    expect(await state(talk)).toEqual(ANSWERED);
  });

  it('does not wait for what followed a corrected typo', async () => {
    const from = place.aPhone();
    const talk = await asked(from);
    await reported(await says(talk, 'Temos!'), 'delivered');
    const message = { type: 'text', text: { body: 'Tem bolo?' } };
    const edit = { original_message_id: 'wamid.x', message };
    await place.writes(from, '', { type: 'edit', text: undefined, edit });

    await reported(await says(talk, 'De chocolate.'), 'failed');

    expect(await state(talk)).toEqual(ANSWERED);
  });

  it('waits for nobody in a closed conversation', async () => {
    const talk = await asked();
    const answer = await says(talk, 'Temos!');
    await closeConversation({ ...place.ctx, em: place.ctx.em.fork() }, talk);

    await reported(answer, 'failed');

    expect(await state(talk)).toEqual({ ...ANSWERED, status: 'closed' });
  });
});

it('nobody waits who did not ask, whatever is lost', async () => {
  const { numberId } = place;
  const contactId = (await aContact(place.ctx)).id;
  const talk = await aConversation(place.ctx, { numberId, contactId });

  await reported(await says(talk, 'Seu pedido saiu.'), 'failed');

  expect(await state(talk)).toEqual(ANSWERED);
});

it('nobody waits in a group, whatever is lost there', async () => {
  await place.writes(place.aPhone(), 'Tem bolo?', { group_id: 'Y2FwaV9n' });
  const [{ id: talk } = { id: '' }] = await place.rows<{ id: string }>(
    'select id from conversations where group_id is not null',
  );
  const answer = await says(talk, 'Temos!');
  const before = await state(talk);

  await reported(answer, 'failed');

  expect(await state(talk)).toEqual(before);
  expect(before).toMatchObject({ status: 'open', waits: false });
});
