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

it('a client_ref is deleted after 30 days, and not earlier', async () => {
  const { ctx } = await aWorkspace(door.database);
  const { key } = await anApiKey(ctx);
  const [numberId, contactId] = [(await aNumber(ctx)).id, (await aContact(ctx)).id];
  const id = await aConversation(ctx, { numberId, contactId });
  const rows = (text: string, params: unknown[] = []) => rowsOf(ctx, text, params);
  for (const [ref, days] of Object.entries({ older: 45, old: 31, young: 29 })) {
    const body = { text: 'Oi', client_ref: ref };
    await door.api.call('POST', `/api/v1/conversations/${id}/messages`, { key, body });
    await rows(
      'update client_refs set created_at = now() - make_interval(days => $2) where client_ref = $1',
      [ref, days],
    );
  }

  while (await asSystem(door.database, deleteOldRefs));

  expect(await rows('select client_ref from client_refs')).toEqual([{ client_ref: 'young' }]);
});
