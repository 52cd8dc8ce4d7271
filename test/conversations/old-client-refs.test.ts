import { expect, it } from '@jest/globals';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import { deleteOldRefs } from '../../src/conversations/sending/client-refs.ts';
import { asSystem } from '../../src/db/database.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openDoor({ routes: conversationRoutes }));

/** A conversation, what sends into it under a reference, and what makes that so many days old. */
async function aTalk() {
  const { ctx } = await aWorkspace(door.database);
  const { key } = await anApiKey(ctx);
  const numberId = (await aNumber(ctx)).id;
  const contactId = (await aContact(ctx)).id;
  const id = await aConversation(ctx, { numberId, contactId });
  const rows = (text: string, params: unknown[] = []) => rowsOf(ctx, text, params);
  const send = (ref: string) =>
    door.api.call('POST', `/api/v1/conversations/${id}/messages`, {
      key,
      body: { text: 'Oi', client_ref: ref },
    });
  const age = (ref: string, days: number) =>
    rows(
      'update client_refs set created_at = now() - make_interval(days => $2) where client_ref = $1',
      [ref, days],
    );
  return { rows, send, age };
}

it('a client_ref whose 30 days are over stands for the next message, for as long again', async () => {
  const { send, age } = await aTalk();
  const first = await send('order 7');
  await age('order 7', 31);

  const second = await send('order 7');
  const repeated = await send('order 7');

  expect([first.status, second.status, repeated.status]).toEqual([201, 201, 200]);
  expect(second.body.id).not.toBe(first.body.id);
  expect(repeated.body.id).toBe(second.body.id);
});

it('a client_ref is deleted after 30 days, and not earlier', async () => {
  const { rows, send, age } = await aTalk();
  for (const [ref, days] of Object.entries({ older: 45, old: 31, young: 29 })) {
    await send(ref);
    await age(ref, days);
  }

  while (await asSystem(door.database, deleteOldRefs));

  expect(await rows('select client_ref from client_refs')).toEqual([{ client_ref: 'young' }]);
});
