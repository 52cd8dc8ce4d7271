import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recogniseSender } from '../../src/contacts/identity/senders.ts';
import type { Context } from '../../src/context.ts';
import { keepMessage } from '../../src/conversations/receiving/receiving.ts';
import { type Database, inWorkspace, openDatabase } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsRead } from '../support/rows-read.ts';

let files: TestDatabase;
let database: Database;
let ctx: Context;
let numberId: string;

beforeAll(async () => {
  files = await openTestDatabase();
  // One connection, whose plans are made while there is nobody yet.
  database = await openDatabase({ url: files.url, poolSize: 1 });
  ({ ctx } = await aWorkspace(database));
  ({ id: numberId } = await aNumber(ctx));
});

afterAll(async () => {
  await database.close();
  await files.close();
});

/** Of people and conversations, so far. */
const readBy = ({ sql }: Context): Promise<number> =>
  rowsRead(sql, ['contacts', 'contact_identities', 'conversations', 'opt_outs']);

/** Somebody writes; how many rows of people and conversations that reads. */
const written = (phone: string): Promise<number> =>
  transact(ctx, async (tx) => {
    const before = await readBy(tx);
    const sender = { phone, waUserId: null, name: 'Ana', at: ctx.now };
    const { contact } = await recogniseSender(tx, sender);
    const message = { type: 'text', text: 'Oi', media: null, replyTo: null, at: ctx.now };
    const kept = { numberId, contactId: contact.id, providerId: `wamid.${phone}.${Math.random()}` };
    await keepMessage(tx, { ...message, ...kept });
    return (await readBy(tx)) - before;
  });

const CROWD = 400;
/** People with a phone and an open conversation each. */
const crowd = (): Promise<unknown> =>
  inWorkspace(database, ctx.organizationId, (sql) =>
    sql.rows(
      `with people as (
         insert into contacts (organization_id, id, name, phone, phone_key, origin, created_via, created_at, updated_at)
         select $1, 'con_crowd' || n, 'Bia', '+55119' || (70000000 + n), '+55119' || (70000000 + n), 'direct', 'message', now(), now()
         from generate_series(1, ${CROWD}) n returning id, phone),
       identities as (
         insert into contact_identities (organization_id, contact_id, type, value, is_primary, created_at)
         select $1, id, 'phone', phone, true, now() from people)
       insert into conversations (organization_id, id, number_id, contact_id, opened_at, last_message_at, created_at, updated_at)
       select $1, 'cnv_' || substr(id, 5), $2, id, now(), now(), now(), now() from people`,
      [ctx.organizationId, numberId],
    ),
  );

describe('a message', () => {
  it('is kept without reading the other people of the workspace, however many there are', async () => {
    for (let n = 0; n < 8; n += 1) await written(`+551196000000${n}`);
    await crowd();

    expect(await written('+5511960000009')).toBeLessThan(40);
    expect(await written('+5511960000001')).toBeLessThan(40);
  });
});
