import { expect, it } from '@jest/globals';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aFile } from '../support/factories/media.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openApi({ routes: conversationRoutes }));

it.each([
  ['coming', 'unknown_media'],
  ['lost', 'unknown_media'],
  ['kept', undefined],
])('a file that is %s is sent on with the outcome %s', async (state, code) => {
  const { id: numberId } = await aNumber(door.ctx);
  const { id: contactId } = await aContact(door.ctx);
  const talk = await aConversation(door.ctx, { numberId, contactId });
  const media_id = await aFile(door.ctx);
  await rowsOf(door.ctx, 'update media set state = $2 where id = $1', [media_id, state]);

  const { body } = await door.call('POST', `/conversations/${talk}/messages`, { media_id });

  expect(body.error?.code).toBe(code);
});
