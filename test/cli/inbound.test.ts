import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { processDue } from '../../src/inbound/processor.ts';
import { storeWebhook } from '../../src/inbound/queries.ts';
import { createLog } from '../../src/log.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMessageWebhook } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { openShell, type Said } from '../support/shell.ts';

const shell = opened(openShell);

const ops = (...args: string[]): Promise<Said> => shell.wmsAnywhere('ops', 'inbound', ...args);

async function asOwner(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: shell.databaseUrl });
  await client.connect();
  await client.query(text);
  await client.end();
}

const DEPS = {
  clock: { now: () => new Date(), skewMs: 0 },
  counts: { add: () => {} },
  log: createLog({ level: 'silent', format: 'json' }),
  wake: () => {},
};

const deps = () => ({ ...DEPS, database: shell.database });

/** As the workers do, until nothing waits any more. */
async function takeIn(): Promise<void> {
  const { system } = shell.database;
  const due = 'update inbound_webhooks set not_before = now() where processed_at is null';
  while ((await system.query(due)).rowCount) await processDue(deps());
}

const texts = (): Promise<unknown[]> =>
  rowsOf(shell.ctx, 'select text from messages order by text');

describe('wms ops inbound', () => {
  it('says what was given up, and takes it in again once the cause is mended', async () => {
    const { id, phoneNumberId } = await aNumber(shell.ctx);
    const write = (text: string) =>
      storeWebhook(
        shell.database.system,
        Buffer.from(`${text} has a sha256`.padEnd(32)),
        JSON.stringify(aMessageWebhook(phoneNumberId ?? '', { id: `wamid.${text}`, text })),
      );
    const healthy = await ops('list');
    // Whoever tries, the database refuses it.
    await asOwner("alter table messages add constraint poison check (text <> 'poison')");
    await write('poison');
    await write('fine');
    await takeIn();

    const said = await ops();
    const listed = await ops('--json');
    await asOwner('alter table messages drop constraint poison');
    const before = await texts();
    const retried = await ops('retry', '--json');
    await processDue(deps());

    expect(healthy.out).toContain('Nothing was given up');
    expect(said.out).toContain(`internal  ${id} of ${shell.ctx.organizationId}`);
    expect(said.out).toContain('1 was given up.');
    expect(listed.json).toEqual([
      {
        id: Buffer.from('poison h').toString('hex'),
        received_at: expect.stringMatching(/^20.+Z$/),
        numbers: [{ workspace: shell.ctx.organizationId, number: id }],
        error: 'internal',
      },
    ]);
    expect([before, retried.json]).toEqual([[{ text: 'fine' }], { retried: 1 }]);
    expect(await texts()).toEqual([{ text: 'fine' }, { text: 'poison' }]);
    expect((await ops('retry', '--json')).json).toEqual({ retried: 0 });
  });
});
