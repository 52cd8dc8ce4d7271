import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { Context } from '../../src/context.ts';
import type { Database } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import type { DownloadResult } from '../../src/gateway/port.ts';
import { expectMedia } from '../../src/media/arriving.ts';
import { createFetcher } from '../../src/media/fetching.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { losingAnswers } from '../support/losing-answers.ts';
import { rowsOf } from '../support/rows-of.ts';

let database: Database;
let ctx: Context;
beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
});
afterAll(() => database.close());

const lines: string[] = [];
const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });

const LATER = { kind: 'later', message: 'WhatsApp answered 401.' } as const;

/** Fetches the file that is due. */
const fetching = (download: () => Promise<DownloadResult>, over = database): Promise<boolean> =>
  createFetcher({ database: over, keyring: testKeyring, log, gateway: { download } })();

const found = (): DownloadResult => ({
  kind: 'found',
  type: 'image/jpeg',
  bytes: Readable.from([Buffer.from('abc')]),
});

/** A person's file that arrived these days ago. */
async function aFile(daysAgo: number): Promise<string> {
  const numberId = (await aNumber(ctx)).id;
  const contactId = (await aContact(ctx)).id;
  const conversationId = await aConversation(ctx, { numberId, contactId });
  const file = { kind: 'image', providerId: '123', name: '', type: 'image/jpeg' } as const;
  const id = await transact(ctx, (tx) => expectMedia(tx, { ...file, numberId, conversationId }));
  await rowsOf(ctx, "update media set created_at = now() - $2 * interval '1 day' where id = $1", [
    id,
    daysAgo,
  ]);
  return id;
}

/** A process that stood still for longer than its lease, after it had asked for the file. */
async function suspended(id: string) {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<DownloadResult>();
  const returned = fetching(() => {
    asked.resolve();
    return answer.promise;
  });
  await asked.promise;
  await rowsOf(ctx, 'update media_fetches set not_before = now() where media_id = $1', [id]);
  return { answers: answer.resolve, returned };
}

const kept = (id: string) =>
  rowsOf(
    ctx,
    'select state, size, (select count(*)::int from media_fetches where media_id = m.id) as due from media m where id = $1',
    [id],
  );
const KEPT = [{ state: 'kept', size: 3, due: 0 }];

describe('a file that was kept', () => {
  it('is not lost when nothing is heard of the commit that kept it', async () => {
    const id = await aFile(1);
    const app = losingAnswers(database.app, 'media-kept', 1);

    await fetching(async () => found(), { ...database, app });

    expect(await kept(id)).toEqual(KEPT);
    expect(lines).toEqual([]);
  });

  it.each<[string, DownloadResult]>([
    ['fails for a moment', LATER],
    ['finds it gone', { kind: 'gone', message: 'WhatsApp answered 404.' }],
    ['finds it, too', found()],
  ])(
    'is not lost when a process that was suspended for longer than its lease %s',
    async (_, result) => {
      const id = await aFile(1);
      const { answers, returned } = await suspended(id);
      await fetching(async () => found());

      answers(result);
      await returned;

      expect(await kept(id)).toEqual(KEPT);
      expect(lines).toEqual([]);
    },
  );

  it.each([
    ['image/png', 'image/png'],
    ['', 'image/jpeg'],
  ])('declared as %j is of the type %s, though WhatsApp says JPEG', async (declared, type) => {
    const id = await aFile(1);
    await rowsOf(ctx, 'update media set type = $2 where id = $1', [id, declared]);

    await fetching(async () => found());

    expect(await rowsOf(ctx, 'select type from media where id = $1', [id])).toEqual([{ type }]);
  });

  it('is left to the process that fetches it by now', async () => {
    const id = await aFile(29);
    const { answers, returned } = await suspended(id);

    await fetching(async () => {
      answers(LATER);
      await returned;
      return found();
    });

    expect(await kept(id)).toEqual(KEPT);
    expect(lines).toEqual([]);
  });
});
