import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { changeNumber } from '../../src/campaigns/states/number-changes.ts';
import type { Context } from '../../src/context.ts';
import type { Database } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import type { DownloadResult } from '../../src/gateway/port.ts';
import { createLog } from '../../src/log.ts';
import { expectMedia } from '../../src/media/arriving.ts';
import { createFetcher } from '../../src/media/fetching.ts';
import { MAX_FILE_BYTES } from '../../src/media/kinds.ts';
import { connectNumber } from '../../src/numbers/connecting.ts';
import { createFetching } from '../../src/relay/chores.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsOf } from '../support/rows-of.ts';
import { eventually } from '../support/waiting.ts';

let database: Database;
let ctx: Context;
beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
});
afterAll(() => database.close());

const rows = <R>(text: string, params: readonly unknown[]) => rowsOf<R>(ctx, text, params);

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

const silent = createLog({ level: 'silent', format: 'json' });

async function fetched(id: string, result: DownloadResult, log = silent): Promise<unknown> {
  await createFetcher({
    database,
    keyring: testKeyring,
    log,
    gateway: { download: async () => result },
  })();
  const [file] = await rows(
    `select m.state, f.not_before > now() as waits
     from media m left join media_fetches f on f.media_id = m.id where m.id = $1`,
    [id],
  );
  return file;
}

async function givenBack(numberId: string): Promise<void> {
  await changeNumber(ctx, numberId, { cause: 'restricted' });
  await changeNumber(ctx, numberId, { cause: 'restriction_lifted' });
}

const LATER = { kind: 'later', message: 'WhatsApp answered 401.' } as const;
const WAITS = { state: 'coming', waits: true };
const LOST = { state: 'lost', waits: null };

describe('a file that cannot be fetched yet', () => {
  it.each([
    ['waited for', 'until its 7th day is over', 7 * 24 - 1, WAITS],
    ['given up', 'when WhatsApp has forgotten it', 7 * 24, LOST],
  ])('is %s %s, however often it was tried', async (_, __, hoursAgo, outcome) => {
    const id = await aFile(hoursAgo);

    expect(await fetched(id, LATER)).toEqual(outcome);
  });

  it.each([
    [1, 1],
    [2, 2],
    [4, 8],
    [100, 6 * 60],
  ])('is asked for again after its try %i in %i minutes', async (tries, minutes) => {
    const id = await aFile(0);
    await rows('update media_fetches set tries = $2 where media_id = $1', [id, tries - 1]);

    await fetched(id, LATER);

    const wait = `select round(extract(epoch from not_before - now()) / 60)::int as minutes
      from media_fetches where media_id = $1`;
    expect(await rows(wait, [id])).toEqual([{ minutes }]);
    await rows('delete from media_fetches where media_id = $1', [id]);
  });

  it('is given up after a week, too, when no token of its number can be read', async () => {
    const id = await aFile(7 * 24);
    await rows(
      `update numbers n set access_token = 'of a lost key' from media m
       where m.id = $1 and n.id = m.number_id`,
      [id],
    );

    expect(await fetched(id, LATER)).toEqual(LOST);
  });

  it('is named in the log, with why, from the second try on, and when it is lost', async () => {
    const lines: unknown[] = [];
    const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const fresh = await aFile(0);
    const old = await aFile(1);
    const lost = await aFile(7 * 24);
    await rows('update media_fetches set tries = 0 where media_id = $1', [fresh]);

    for (const id of [fresh, old, lost]) await fetched(id, LATER, log);

    const { organizationId } = ctx;
    const reason = LATER.message;
    expect(lines).toEqual([
      expect.objectContaining({
        organizationId,
        mediaId: old,
        reason,
        msg: expect.stringContaining('yet'),
      }),
      expect.objectContaining({
        organizationId,
        mediaId: lost,
        reason,
        msg: expect.stringContaining('lost'),
      }),
    ]);
  });

  it.each<[string, (numberId: string) => Promise<unknown>]>([
    ['is connected anew', (id) => connectNumber(ctx, id, { accessToken: 'new' }, testKeyring)],
    ['is given back by WhatsApp', givenBack],
  ])('is fetched at once when its number %s, unless it is being fetched', async (_, returns) => {
    const id = await aFile(1);
    const under = await aFile(1);
    const numberOf = async (media: string): Promise<string> => {
      const [of] = await rows<{ id: string }>('select number_id as id from media where id = $1', [
        media,
      ]);
      return of?.id ?? '';
    };
    expect(await fetched(id, LATER)).toEqual(WAITS);
    await rows(
      "update media_fetches set not_before = now() + interval '3 minutes' where media_id = $1",
      [under],
    );

    for (const each of [id, under]) await returns(await numberOf(each));

    const due = 'select media_id as id, tries from media_fetches where not_before <= now()';
    expect(await rows(due, [])).toEqual([{ id, tries: 0 }]);
    await rows('delete from media_fetches', []);
  });

  it('is given up at once when it turns out to be larger than any file may be', async () => {
    const id = await aFile(0);
    const piece = Buffer.alloc(MAX_FILE_BYTES / 4 + 1);
    const bytes = Readable.from([piece, piece, piece, piece]);

    expect(await fetched(id, { kind: 'found', type: 'image/jpeg', bytes })).toEqual(LOST);
  });
});

/** Files that arrived in a workspace of its own, by the ids that WhatsApp gave them. */
async function filesOf(name: string, count: number): Promise<void> {
  const { ctx: place } = await aWorkspace(database);
  const numberId = (await aNumber(place)).id;
  const contactId = (await aContact(place)).id;
  const conversationId = await aConversation(place, { numberId, contactId });
  const file = { kind: 'image', name: '', type: 'image/jpeg', numberId, conversationId } as const;
  for (let n = 0; n < count; n++)
    await transact(place, (tx) => expectMedia(tx, { ...file, providerId: `${name}${n}` }));
}

describe('the files of many workspaces', () => {
  it('are fetched in turn, however many of one of them stand before', async () => {
    await filesOf('many', 40);
    await filesOf('few', 1);
    const asked: string[] = [];
    const next = createFetcher({
      database,
      keyring: testKeyring,
      log: silent,
      gateway: {
        download: async (_, id) => {
          asked.push(id);
          return LATER;
        },
      },
    });

    for (let n = 0; n < 8; n++) await next();

    expect(asked.filter((id) => id.startsWith('many')).slice(0, 2)).toEqual(['many0', 'many1']);
    expect(asked).toContain('few0');
  });

  it('are fetched beside one that takes long, and beside many such of one workspace', async () => {
    await database.system.query("update media_fetches set not_before = now() + interval '1 hour'");
    await filesOf('slow', 8);
    const { promise: slow, resolve: ends } = Promise.withResolvers<DownloadResult>();
    const asked: string[] = [];
    const files = createFetching({
      database,
      log: silent,
      keyring: testKeyring,
      gateway: {
        download: (_: unknown, id: string) => {
          asked.push(id);
          return id.startsWith('slow') ? slow : Promise.resolve(LATER);
        },
      },
    } as unknown as Parameters<typeof createFetching>[0]);

    files.start();
    await eventually(async () => asked.length === 2);
    await filesOf('quick', 6);
    files.poke();
    await eventually(async () => asked.length === 8);
    const before = asked.toSorted();
    ends(LATER);
    await eventually(async () => asked.length === 14);
    await files.stop();

    const quick = [0, 1, 2, 3, 4, 5].map((n) => `quick${n}`);
    expect(before).toEqual([...quick, 'slow0', 'slow1']);
  });
});
