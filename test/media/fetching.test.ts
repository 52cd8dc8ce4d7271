import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import type { DownloadResult } from '../../src/gateway/port.ts';
import { expectMedia } from '../../src/media/arriving.ts';
import { fetchDueMedia } from '../../src/media/fetching.ts';
import { MAX_FILE_BYTES } from '../../src/media/kinds.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';

let database: Database;
let ctx: Context;
beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
});
afterAll(() => database.close());

const rows = <R>(text: string, params: readonly unknown[]): Promise<R[]> =>
  inWorkspace(database, ctx.organizationId, (sql) => sql.rows<R>(text, params));

/** A person's file that arrived these hours ago and that has been asked for often. */
async function aFile(hoursAgo: number): Promise<string> {
  const numberId = (await aNumber(ctx)).id;
  const conversationId = await aConversation(ctx, {
    numberId,
    contactId: (await aContact(ctx)).id,
  });
  const file = { kind: 'image', providerId: '123', name: '', type: 'image/jpeg' } as const;
  const id = await transact(ctx, (tx) => expectMedia(tx, { ...file, numberId, conversationId }));
  await rows(`update media set created_at = now() - $2 * interval '1 hour' where id = $1`, [
    id,
    hoursAgo,
  ]);
  await rows('update media_fetches set tries = 100 where media_id = $1', [id]);
  return id;
}

async function fetched(id: string, result: DownloadResult): Promise<unknown> {
  await fetchDueMedia({
    database,
    keyring: testKeyring,
    gateway: { download: async () => result },
  });
  const [file] = await rows(
    `select m.state, f.not_before > now() as waits
     from media m left join media_fetches f on f.media_id = m.id where m.id = $1`,
    [id],
  );
  return file;
}

const LATER = { kind: 'later', message: 'WhatsApp answered 401.' } as const;
const WAITS = { state: 'coming', waits: true };
const LOST = { state: 'lost', waits: null };

describe('a file that cannot be fetched yet', () => {
  it.each([
    ['waited for', 'until its 29th day is over', 29 * 24 - 1, WAITS],
    ['given up', 'when WhatsApp is about to forget it', 29 * 24, LOST],
  ])('is %s %s, however often it was tried', async (_, __, hoursAgo, outcome) => {
    const id = await aFile(hoursAgo);

    expect(await fetched(id, LATER)).toEqual(outcome);
  });

  it('is given up on its 29th day, too, when no token of its number can be read', async () => {
    const id = await aFile(29 * 24);
    await rows(
      `update numbers n set access_token = 'of a lost key' from media m
       where m.id = $1 and n.id = m.number_id`,
      [id],
    );

    expect(await fetched(id, LATER)).toEqual(LOST);
  });

  it('is given up at once when it turns out to be larger than any file may be', async () => {
    const id = await aFile(0);
    const piece = Buffer.alloc(MAX_FILE_BYTES / 4 + 1);
    const bytes = Readable.from([piece, piece, piece, piece]);

    expect(await fetched(id, { kind: 'found', type: 'image/jpeg', bytes })).toEqual(LOST);
  });
});
