import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { expectMedia } from '../../src/media/arriving.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { anActiveAutomation, aRun } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsOf } from '../support/rows-of.ts';
import { upgraded } from './support/upgrading.ts';

let database: OwnDatabase;
let ctx: Context;
beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
});
afterAll(() => database.close());

it('takes what people said who were deleted before out of their runs, and of nobody else’s', async () => {
  const { id: automationId } = await anActiveAutomation(ctx);
  const gone = await aContact(ctx);
  const stays = await aContact(ctx);
  const erased = await aRun(ctx, { automationId, contactId: gone.id, status: 'failed' });
  const kept = await aRun(ctx, { automationId, contactId: stays.id, status: 'failed' });
  await rowsOf(ctx, `update automation_run_steps set output = '{"answer":"Rua A"}' where seq = 1`);
  await rowsOf(ctx, 'delete from contacts where id = $1', [gone.id]);

  await upgraded(database.url, '20261123_0067_runs_of_deleted_people');

  expect(
    await rowsOf(
      ctx,
      `select r.id, r.error ->> 'code' as code, r.error ->> 'message' as message, s.output
       from automation_runs r join automation_run_steps s on s.run_id = r.id and s.seq = 1 order by r.id`,
    ),
  ).toEqual([
    { id: erased, code: 'send_failed', message: '', output: null },
    {
      id: kept,
      code: 'send_failed',
      message: 'It did not leave.',
      output: { answer: 'Rua A' },
    },
  ]);
});

it('puts the files of merged people where their message is, and leaves others alone', async () => {
  const numberId = (await aNumber(ctx)).id;
  const [one, two] = await Promise.all(
    [1, 2].map(async () => {
      const contactId = (await aContact(ctx)).id;
      return { contactId, id: await aConversation(ctx, { numberId, contactId }) };
    }),
  );
  if (!one || !two) throw new TypeError('two conversations');
  const file = { kind: 'image', providerId: '1', name: '', type: 'image/jpeg', numberId } as const;
  const arrived = (conversationId: string): Promise<string> =>
    transact(ctx, (tx) => expectMedia(tx, { ...file, conversationId }));
  const shown = (media: string, talk: { id: string; contactId: string }, source: string) =>
    rowsOf(
      ctx,
      `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status,
         source, media_id, created_at)
       values ($1, $2, $3, $4, $5, case when $6 = 'contact' then 'inbound' else 'outbound' end, 'image', '',
         case when $6 = 'contact' then 'received' else 'sent' end, $6, $7, now())`,
      [ctx.organizationId, newId('msg'), talk.id, numberId, talk.contactId, source, media],
    );
  const lost = await arrived(newId('cnv'));
  const kept = await arrived(two.id);
  await shown(lost, two, 'member');
  await shown(lost, one, 'contact');
  await shown(kept, two, 'contact');

  await upgraded(database.url, '20261123_0068_files_of_merged_people');

  expect(await rowsOf(ctx, 'select id, conversation_id as talk from media order by id')).toEqual([
    { id: lost, talk: one.id },
    { id: kept, talk: two.id },
  ]);
});
