import { beforeAll, describe, expect, it } from '@jest/globals';
import { keepMessage } from '../../src/conversations/receiving/receiving.ts';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import { transact } from '../../src/db/transact.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import type { Reply } from '../support/http.ts';
import { aMember, aToken } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openApi({ routes: conversationRoutes }));
let numberId: string;

beforeAll(async () => {
  numberId = (await aNumber(door.ctx)).id;
});

const get = (path: string): Promise<Reply> => door.call('GET', `${path}`);
const idsOf = (reply: Reply): string[] => reply.body.data.map(({ id }: { id: string }) => id);

async function begun(on = numberId): Promise<{ id: string; contactId: string }> {
  const contactId = (await aContact(door.ctx)).id;
  return { id: await aConversation(door.ctx, { numberId: on, contactId }), contactId };
}

/** A person writes, `secondsAgo` before now. */
const writes = (contactId: string, on = numberId, secondsAgo = 0) =>
  transact(door.ctx, (tx) =>
    keepMessage(tx, {
      numberId: on,
      contactId,
      providerId: `wamid.${Math.random()}`,
      type: 'text',
      text: 'Oi',
      media: null,
      replyTo: null,
      at: new Date(Date.now() - secondsAgo * 1000),
    }),
  );

describe('reading conversations', () => {
  it('shows the fields of the specification and whether free text may be sent', async () => {
    const { id, contactId } = await begun();

    const { status, body } = await get(`/conversations/${id}`);

    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      status: 'open',
      number_id: numberId,
      contact_id: contactId,
      group_id: null,
      assigned_member_id: null,
      assigned_team_id: null,
      unread: 0,
      created_at: door.ctx.now.toISOString(),
      last_message_at: null,
      closed_at: null,
      window_expires_at: null,
      can_reply: true,
      handled_by: 'none',
      snoozed_until: null,
      waiting_since: null,
    });
  });

  it('allows free text only inside the window of a number that has one', async () => {
    const windowed = (await aNumber(door.ctx, { window: true })).id;
    const never = await begun(windowed);
    const fresh = await begun(windowed);
    const old = await begun(windowed);
    await writes(fresh.contactId, windowed);
    await writes(old.contactId, windowed, 24 * 3600 - 60);

    const shown = await Promise.all(
      [never, fresh, old].map(({ id }) => get(`/conversations/${id}`)),
    );

    expect(shown.map(({ body }) => body.can_reply)).toEqual([false, true, false]);
    expect(shown[0]?.body.window_expires_at).toBeNull();
    expect(Date.parse(shown[1]?.body.window_expires_at) - Date.now()).toBeGreaterThan(86_000_000);
    const those = (window: string) =>
      get(`/conversations?number_id=${windowed}&window=${window}`).then(idsOf);
    expect(await those('open')).toEqual([fresh.id]);
    expect(await those('expired')).toEqual([old.id, never.id]);
  });

  it('allows a reply to who wants no messages only in the console, and none without a phone', async () => {
    const out = await begun();
    const without = await begun();
    await rowsOf(door.ctx, 'update contacts set opted_out = true where id = $1', [out.contactId]);
    await rowsOf(door.ctx, 'delete from contact_identities where contact_id = $1', [
      without.contactId,
    ]);
    await rowsOf(door.ctx, 'update contacts set phone = null, phone_key = null where id = $1', [
      without.contactId,
    ]);
    const { id, token } = await aMember(door.ctx);
    const console = aToken(door.ctx.organizationId, id, { console: true }).token;
    const allowed = async (as: string) => {
      const one = ({ id }: { id: string }) =>
        door.api.call('GET', `/api/v1/conversations/${id}`, { key: as });
      return [(await one(out)).body.can_reply, (await one(without)).body.can_reply];
    };

    expect([await allowed(door.key), await allowed(token), await allowed(console)]).toEqual([
      [false, false],
      [false, false],
      [true, false],
    ]);
    const { body } = await get(`/conversations?contact_id=${without.contactId}`);
    expect(body.data).toMatchObject([{ can_reply: false }]);
  });

  it('lists by each filter, and says no to a filter that no key can mean', async () => {
    const number = (await aNumber(door.ctx, { window: true })).id;
    const quiet = await begun(number);
    const lively = await begun(number);
    await writes(lively.contactId, number);
    const on = (rest: string) => get(`/conversations?number_id=${number}&${rest}`).then(idsOf);

    expect(await on('unread=true')).toEqual([lively.id]);
    expect(await on('unread=false')).toEqual([quiet.id]);
    expect(await on('window=open')).toEqual([lively.id]);
    expect(await on('window=expired')).toEqual([quiet.id]);
    expect(await on('kind=contact&status=open&handled_by=none')).toEqual([lively.id, quiet.id]);
    expect(await on('kind=group')).toEqual([]);
    expect(await on('team_id=none&member_id=none')).toEqual([lively.id, quiet.id]);
    expect(await on(`contact_id=${quiet.contactId}`)).toEqual([quiet.id]);
    expect(await on(`updated_since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    const me = await get('/conversations?member_id=me');
    expect(me.status).toBe(422);
    expect(me.body.error.details[0]).toMatchObject({ path: 'member_id', rule: 'no_member' });
  });

  it('pages by creation and by the last message without repeating or leaving one out', async () => {
    const number = (await aNumber(door.ctx)).id;
    const all = [
      await begun(number),
      await begun(number),
      await begun(number),
      await begun(number),
    ];
    for (const { contactId } of [all[2], all[0]].filter((one) => one !== undefined)) {
      await transact({ ...door.ctx, now: new Date() }, async (tx) => {
        await tx.sql.rows(
          'update conversations set last_message_at = clock_timestamp() where contact_id = $1',
          [contactId],
        );
      });
    }
    const walk = async (sort: string): Promise<string[]> => {
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = await get(`/conversations?number_id=${number}&sort=${sort}&limit=1${cursor}`);
        seen.push(...idsOf(page));
        cursor = page.body.next_cursor ? `&cursor=${page.body.next_cursor}` : '';
      } while (cursor);
      return seen;
    };

    const byCreation = await walk('created_at');
    const byMessage = await walk('last_message_at');

    const ids = all.map(({ id }) => id);
    expect(byCreation).toEqual([...ids].reverse());
    expect(byMessage).toEqual([ids[0], ids[2], ids[3], ids[1]]);
  });

  it('lists the messages of one conversation, newest first, all fields present', async () => {
    const { id, contactId } = await begun();
    await writes(contactId);
    const sent = await someMessages(door.ctx, {
      numberId,
      contactId,
      conversationId: id,
      count: 2,
    });

    const first = await get(`/conversations/${id}/messages?limit=2`);
    const rest = await get(
      `/conversations/${id}/messages?limit=2&cursor=${first.body.next_cursor}`,
    );

    expect(idsOf(first)).toEqual([...sent].reverse());
    expect(rest.body.next_cursor).toBeNull();
    expect(rest.body.data).toMatchObject([
      { direction: 'inbound', status: 'received', source: 'contact', text: 'Oi', media_name: '' },
    ]);
  });

  it('answers 404 for the messages of a conversation that is not there', async () => {
    const missing = await get('/conversations/cnv_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D/messages');

    expect([missing.status, missing.body.error.code]).toEqual([404, 'not_found']);
  });

  it('reads one message by its id, with what became of it, for whoever sees its conversation', async () => {
    const { id, contactId } = await begun();
    const pair = { numberId, contactId, conversationId: id };
    const [message = ''] = await someMessages(door.ctx, { ...pair, status: 'delivered' });
    const { id: memberId, token } = await aMember(door.ctx, { visibility: 'assigned' });
    const read = (key: string) => door.api.call('GET', `/api/v1/messages/${message}`, { key });

    const shown = await read(door.key);
    const unseen = await read(token);
    await rowsOf(door.ctx, 'update conversations set assigned_member_id = $2 where id = $1', [
      id,
      memberId,
    ]);
    const seen = await read(token);
    const missing = await get('/messages/msg_01JD8Z3V9Q6W5X4Y3Z2A1B0C9D');

    const { body: listed } = await get(`/conversations/${id}/messages`);
    expect(shown.body).toEqual(listed.data[0]);
    expect([shown.status, shown.body.status]).toEqual([200, 'delivered']);
    expect([unseen.status, unseen.body.error.code]).toEqual([404, 'not_found']);
    expect([seen.status, missing.status]).toEqual([200, 404]);
  });
});
