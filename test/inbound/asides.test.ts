import { describe, expect, it } from '@jest/globals';
import { closeConversation } from '../../src/conversations/service.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { opened } from '../support/opened.ts';
import { anEcho } from './support/echo.ts';
import { openWritingScene } from './support/writing.ts';

const A_YEAR_AGO = '1763640000';

const writing = opened(openWritingScene);

interface Talk {
  readonly id: string;
  readonly status: string;
  readonly unread: number;
  readonly types: readonly string[];
}

/** What the inbox and segments go by. */
async function talkWith(phone: string): Promise<Talk> {
  const [talk] = await writing.rows<Talk>(
    `select v.id, v.status, v.unread, v.waiting_since, v.window_expires_at, v.last_message_at, c.last_inbound_at,
       array(select m.type from messages m where m.conversation_id = v.id order by m.id) as types
     from conversations v join contacts c on c.id = v.contact_id where c.phone = $1`,
    [`+${phone}`],
  );
  if (!talk) throw new TypeError('No conversation.');
  return talk;
}

const original = { original_message_id: 'wamid.of.theirs' };

describe.each([
  ['edits an earlier one', { type: 'edit', edit: original }, 'edit'],
  ['deletes an earlier one for everyone', { type: 'revoke', revoke: original }, 'edit'],
  [
    'takes a reaction back',
    { type: 'reaction', reaction: { message_id: 'wamid.of.ours' } },
    'reaction',
  ],
])('a message that %s', (_, aside, type) => {
  it('is kept, opens nothing and asks nobody to answer: it is no new message', async () => {
    const phone = writing.aPhone();
    await writing.writes(phone, 'Oi', { timestamp: A_YEAR_AGO });
    await closeConversation(writing.ctx, (await talkWith(phone)).id);
    const before = await talkWith(phone);
    expect(before).toMatchObject({ status: 'closed', unread: 0, types: ['text'] });

    await writing.writes(phone, '', aside);

    expect(await talkWith(phone)).toEqual({ ...before, types: ['text', type] });
  });

  it('opens nothing in a group either, and nobody has it to read', async () => {
    const said = { group_id: `group-${aside.type}` };
    const phone = writing.aPhone();
    await writing.writes(phone, 'Oi', said);
    const talk = () =>
      writing.rows(
        `select v.id, v.status, v.unread, v.last_message_at from conversations v join groups g on g.conversation_id = v.id
         where g.provider_id = $1`,
        [said.group_id],
      );
    const [before] = await talk();
    await writing.rows("update conversations set status = 'closed', unread = 0 where id = $1", [
      (before as Talk).id,
    ]);

    await writing.writes(phone, '', { ...said, ...aside });

    expect(await talk()).toEqual([{ ...(before as Talk), status: 'closed', unread: 0 }]);
  });

  it('counts as a new message where nothing was said before', async () => {
    const { ctx, numberId } = writing;
    const phone = writing.aPhone();
    const { id: contactId } = await aContact(ctx, { phone: `+${phone}` });
    await aConversation(ctx, { numberId, contactId });

    await writing.writes(phone, '', aside);

    expect(await talkWith(phone)).toMatchObject({
      unread: 1,
      types: [type],
      waiting_since: expect.any(Date),
      last_message_at: expect.any(Date),
      last_inbound_at: expect.any(Date),
    });
  });
});

it.each([
  ['edits', 'edit'],
  ['deletes', 'revoke'],
])('what %s a message names it', async (_, type) => {
  const phone = writing.aPhone();
  const id = `wamid.to.${type}`;
  await writing.writes(phone, 'Oi', { id });

  await writing.writes(phone, '', { type, [type]: { original_message_id: id } });

  const named = `select o.provider_id as id from messages m join messages o on o.id = m.reply_to_id
    where m.type = 'edit' and o.provider_id = $1`;
  expect(await writing.rows(named, [id])).toEqual([{ id }]);
});

it('taking a reaction back on the handset takes nothing over: who waits still waits', async () => {
  const phone = writing.aPhone();
  await writing.writes(phone, 'Oi?');
  const before = await talkWith(phone);

  const reaction = { message_id: 'wamid.of.theirs', emoji: '' };
  const echo = { id: 'wamid.back', to: phone, type: 'reaction', text: undefined, reaction };
  await writing.stage.post(anEcho(writing.phoneNumberId, echo));
  await writing.stage.process();

  expect(before).toMatchObject({ waiting_since: expect.any(Date), unread: 1 });
  expect(await talkWith(phone)).toEqual(before);
});
