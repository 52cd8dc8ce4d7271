import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import type { RemoteTemplate, WhatsApp } from '../../src/gateway/port.ts';
import { connectNumber } from '../../src/numbers/connecting.ts';
import { lockNumber } from '../../src/numbers/known.ts';
import { createSyncing } from '../../src/relay/chores.ts';
import { listTemplates, requireTemplate } from '../../src/templates/service.ts';
import { createTemplateSync, type SyncDeps } from '../../src/templates/sync.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { runUpkeep } from '../support/upkeep.ts';
import { eventually } from '../support/waiting.ts';

const database = opened(openOwnDatabase);

const OI: RemoteTemplate = {
  ...{ name: 'oi', language: 'pt_BR', status: 'APPROVED', category: 'UTILITY' },
  components: [],
};
const GREEN: WhatsApp['quality'] = () => Promise.resolve('green');
type Failure = Readonly<Record<'numberId', string>>;

const partsWith = (gateway: SyncDeps['gateway'], failures: Failure[] = []): SyncDeps => ({
  ...{ database, gateway, keyring: testKeyring, clock: { now: () => new Date(), skewMs: 0 } },
  log: pino({ base: null }, { write: (line: string) => failures.push(JSON.parse(line)) }),
});

/** Reads whatever is due. */
async function sync(
  templates: WhatsApp['templates'] = () => Promise.resolve([OI]),
  quality: WhatsApp['quality'] = GREEN,
): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  const next = createTemplateSync(partsWith({ templates, quality }, failures));
  while (await next());
  return failures;
}

it('The sync of templates does not stop at numbers without a token', async () => {
  const { ctx } = await aWorkspace(database);
  const { id } = await aNumber(ctx);
  await rowsOf(
    ctx,
    `insert into template_syncs (organization_id, number_id, due_at) values ($1, $2, now() - interval '1 hour')`,
    [ctx.organizationId, id],
  );
  // Those that were never read come first.
  for (let n = 1; n <= 20; n += 1) {
    const account = { phoneNumberId: `99${n}`, businessAccountId: `88${n}` };
    const { ctx: other } = await aWorkspace(database);
    await aNumber(other, { provider: 'cloud_api', ...account });
  }

  const first = await sync();
  const second = await sync();

  expect([first.length, second.length]).toEqual([20, 0]);
  expect(await rowsOf(ctx, 'select name from templates', [])).toEqual([{ name: 'oi' }]);
});

it('A template that WhatsApp lists twice is there once, and gone once it is not listed', async () => {
  const { ctx } = await aWorkspace(database);
  await aNumber(ctx);

  expect(await sync(() => Promise.resolve([OI, OI]))).toEqual([]);
  expect(await rowsOf(ctx, 'select name from templates', [])).toEqual([{ name: 'oi' }]);
  await rowsOf(ctx, `update template_syncs set due_at = now() - interval '1 second'`, []);
  await sync(() => Promise.resolve([]));
  expect(await rowsOf(ctx, 'select name from templates', [])).toEqual([]);
});

it('A paired number has none, whatever account it names', async () => {
  const { ctx } = await aWorkspace(database);
  await aNumber(ctx, { provider: 'paired', phoneNumberId: '110', businessAccountId: '910' });

  await sync();

  expect(await rowsOf(ctx, 'select name from templates', [])).toEqual([]);
});

const CONNECTED = {
  provider: 'cloud_api',
  phoneNumberId: '111',
  businessAccountId: '900',
  accessToken: 'EAAB',
} as const;

it('A number that gets another business account has the templates of that one, at once', async () => {
  const { ctx } = await aWorkspace(database);
  const { id } = await aNumber(ctx, CONNECTED);
  const read = () => sync((account) => Promise.resolve([{ ...OI, name: `of_${account.id}` }]));
  const listed = () =>
    inWorkspace(database, ctx.organizationId, async (sql) => {
      const page = { limit: 10, after: null };
      return (await listTemplates({ ...ctx, sql }, {}, page)).data.map(({ name }) => name);
    });
  const judge = (name: string) =>
    inWorkspace(database, ctx.organizationId, (sql) =>
      requireTemplate({ ...ctx, sql }, id, { name, language: 'pt_BR', parameters: [] }).then(
        () => 'let through',
        ({ details }) => details[0].rule,
      ),
    );
  await read();
  const before = [await listed(), await judge('of_901')];

  await connectNumber(ctx, id, { businessAccountId: '901' }, testKeyring);
  const meanwhile = [await listed(), await judge('of_901')];
  await read();

  expect(before).toEqual([['of_900'], 'unknown_template']);
  expect(meanwhile).toEqual([[], 'let through']);
  expect([await listed(), await judge('of_900')]).toEqual([['of_901'], 'unknown_template']);
});

it('A reading of the former business account that ends late does not take the place of the new one’s', async () => {
  const { ctx } = await aWorkspace(database);
  const { id } = await aNumber(ctx, { ...CONNECTED, phoneNumberId: '113' });
  const read = async (account: { readonly id: string }) => [{ ...OI, name: `of_${account.id}` }];

  await sync(async (former) => {
    await connectNumber(ctx, id, { businessAccountId: '901' }, testKeyring);
    await sync(read);
    return read(former);
  });

  expect(await rowsOf(ctx, 'select name from templates', [])).toEqual([{ name: 'of_901' }]);
});

it('A number is given a new access token while what was read of the old one is written down', async () => {
  const { ctx } = await aWorkspace(database);
  const { id } = await aNumber(ctx, { ...CONNECTED, phoneNumberId: '114' });
  let change: Promise<unknown> = Promise.resolve();

  const templates = () =>
    new Promise<RemoteTemplate[]>((answer) => {
      change = transact(ctx, async (tx) => {
        await lockNumber(tx, id);
        answer([OI]);
        await untilWaiting(database.system);
        await connectNumber(tx, id, { accessToken: 'EAAC' }, testKeyring);
      });
    });
  const failures: Failure[] = [];

  await createTemplateSync(partsWith({ templates, quality: GREEN }, failures))();

  await change;
  expect(failures).toEqual([]);
});

it('A number that gets a new access token has its templates read at once', async () => {
  const { ctx } = await aWorkspace(database);
  const { id } = await aNumber(ctx, { ...CONNECTED, phoneNumberId: '112' });
  await sync();
  const tokens: string[] = [];
  const read = () =>
    sync(({ accessToken }) => {
      tokens.push(accessToken);
      return Promise.resolve([OI]);
    });

  await read();
  await connectNumber(ctx, id, { accessToken: 'EAAC' }, testKeyring);
  await read();

  expect(tokens).toEqual(['EAAC']);
  expect(await rowsOf(ctx, 'select name from templates', [])).toEqual([{ name: 'oi' }]);
});

it('A number is asked for its quality, too, and degraded while WhatsApp rates it red', async () => {
  const { ctx } = await aWorkspace(database);
  const { id } = await aNumber(ctx, { ...CONNECTED, phoneNumberId: '115' });
  const sandbox = await aNumber(ctx);
  const asked: string[] = [];
  const read = (rating: Awaited<ReturnType<WhatsApp['quality']>>) =>
    sync(undefined, async (number) => {
      asked.push(`${number.id} by ${number.accessToken}`);
      return rating;
    });
  const standing = async () => {
    const now = new Date();
    await runUpkeep({ workflow: 'checkNumbers', history: 'check-numbers', database, now });
    return rowsOf(
      ctx,
      `select n.status, h.quality from numbers n join number_health h on h.number_id = n.id and n.id = $1`,
      [id],
    );
  };

  await read('red');
  const red = await standing();
  await rowsOf(ctx, 'delete from template_syncs', []);
  await read('yellow');

  expect(red).toEqual([{ status: 'degraded', quality: 'red' }]);
  expect(await standing()).toEqual([{ status: 'degraded', quality: 'yellow' }]);
  expect(asked).toEqual(['115 by EAAB', '115 by EAAB']);
  expect(
    await rowsOf(ctx, 'select 1 from number_health where number_id = $1', [sandbox.id]),
  ).toEqual([]);
});

it('A number whose quality cannot be read has its templates', async () => {
  const { ctx } = await aWorkspace(database);
  const { id: numberId } = await aNumber(ctx, { ...CONNECTED, phoneNumberId: '116' });

  const failures = await sync(undefined, () => Promise.reject(new Error('refused')));

  expect(failures).toMatchObject([{ numberId }]);
  expect(await rowsOf(ctx, 'select name from templates', [])).toEqual([{ name: 'oi' }]);
});

it('Accounts that do not answer, however many a workspace has, keep nobody else’s templates waiting', async () => {
  const { ctx: many } = await aWorkspace(database);
  for (let n = 1; n <= 5; n += 1) {
    const account = { phoneNumberId: `77${n}`, businessAccountId: `80${n}` };
    await aNumber(many, { ...CONNECTED, ...account });
  }
  const { ctx } = await aWorkspace(database);
  const { id } = await aNumber(ctx, { ...CONNECTED, phoneNumberId: '117' });
  // Those that were never read come first.
  await rowsOf(ctx, 'insert into template_syncs values ($1, $2, now())', [ctx.organizationId, id]);
  const { promise: answer, resolve: answers } = Promise.withResolvers<RemoteTemplate[]>();
  const asked: string[] = [];
  const syncing = createSyncing(
    partsWith({
      templates: ({ id: account }) => {
        asked.push(account);
        return account.startsWith('80') ? answer : Promise.resolve([OI]);
      },
      quality: GREEN,
    }),
  );

  syncing.start();
  const names = () => rowsOf(ctx, 'select name from templates', []);
  await eventually(async () => (await names()).length > 0);
  const before = asked.filter((account) => account.startsWith('80'));
  answers([OI]);
  await eventually(async () => asked.length === 6);
  await syncing.stop();

  expect(before).toHaveLength(2);
});
