import { expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { type RunFile, writeRunFile } from '../../src/embedded/run-file.ts';
import { markNumberUnavailable } from '../../src/numbers/service.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { opened } from '../support/opened.ts';
import { openShell } from '../support/shell.ts';

/** The account of the simulator. */
const ACCOUNT = '100000000000001';

const shell = opened(async () => {
  const simulator = await startSimulator({
    port: 0,
    callbackUrl: 'http://127.0.0.1:9/webhooks/whatsapp',
    appSecret: 'a secret of the tests',
  });
  const shell = await openShell();
  // As if the service ran here.
  const { databaseUrl, dataDir } = shell;
  writeRunFile(dataDir, { databaseUrl, simulatorUrl: simulator.url } as RunFile);
  const close = async () => {
    await shell.close();
    await simulator.stop();
  };
  return { ...shell, close };
});

const add = (...given: string[]) =>
  shell.wms('number', 'add', '--phone', '+5511987654321', '--name', ...given);

it('leads the operator from a workspace to a connected number', async () => {
  const { organizationId } = shell.ctx;
  const workspaces = await shell.wmsAnywhere('workspace', 'list', '--json');
  const added = await add('Vendas', '--provider', 'cloud_api');
  const { number_id: id, status, next } = added.json;
  // As an editor leaves it.
  const files = ['--access-token-file', shell.file('EAAG\n')];
  const connected = await shell.wms(
    'number',
    'connect',
    id,
    '--phone-number-id',
    '5511987654321',
    ...files,
  );
  const sandbox = await shell.wmsInWords(
    ...['number', 'add', '--name', 'Teste', '--phone', '+5511987654322', '--provider', 'sandbox'],
  );
  const listed = await shell.wmsInWords('number', 'list');

  expect(workspaces.json).toEqual([
    expect.objectContaining({ workspace_id: organizationId, name: expect.any(String) }),
  ]);
  expect([status, next]).toEqual([
    'provisioning',
    `wms number connect ${id} --workspace ${organizationId} --phone-number-id <id> --access-token-file <file>`,
  ]);
  expect(connected.json).toEqual({ number_id: id, status: 'connected', hold_ended: false });
  expect(sandbox.out).toMatch(/^status +connected$/m);
  expect(sandbox.out).not.toContain('next');
  expect(listed.out).toMatch(
    new RegExp(`^${id} +\\+5511987654321 +cloud_api +connected +Vendas$`, 'm'),
  );
});

it('gives a number the business account that it was connected without', async () => {
  const files = ['--phone-number-id', '551187654321', '--access-token-file', shell.file('EAAG')];
  const { json: added } = await add('Compras', '--provider', 'cloud_api', ...files);
  const { number_id: id, status } = added;
  await inWorkspace(shell.database, shell.ctx.organizationId, (sql) =>
    sql.rows('update numbers set business_account_id = null where id = $1', [id]),
  );
  const account = (value: string, ...more: string[]) =>
    shell.wms('number', 'connect', id, '--business-account-id', value, ...more);

  const wrong = await account('my account');
  const other = await account(ACCOUNT, '--phone-number-id', '999');
  const another = await account('102290129340398');
  const given = await account(ACCOUNT);
  const again = await account(ACCOUNT);

  expect(wrong.json.error.details).toEqual([
    expect.objectContaining({ path: 'business_account_id', rule: 'format' }),
  ]);
  expect(other.json.error.details).toEqual([
    expect.objectContaining({ path: 'phone_number_id', rule: 'not_applicable' }),
  ]);
  expect(another.json.error.details).toEqual([
    expect.objectContaining({ path: 'business_account_id', rule: 'unconfirmed' }),
  ]);
  expect([added.business_account_id, status]).toEqual([ACCOUNT, 'connected']);
  expect(given.json).toEqual({ number_id: id, status: 'connected', hold_ended: false });
  expect(again.json).toEqual(given.json);
  const [row] = await inWorkspace(shell.database, shell.ctx.organizationId, (sql) =>
    sql.rows('select business_account_id, status from numbers where id = $1', [id]),
  );
  expect(row).toEqual({ business_account_id: ACCOUNT, status: 'connected' });
  const noted = await inWorkspace(shell.database, shell.ctx.organizationId, (sql) =>
    sql.rows(
      `select from audit_entries where organization_id = $1 and action = 'number.updated' and target ->> 'id' = $2`,
      [shell.ctx.organizationId, id],
    ),
  );
  expect(noted).toHaveLength(1);
});

it('refuses a file of a token that has no name, as a variable that is not set', async () => {
  const { json } = await add('Recados', '--provider', 'cloud_api');
  const before = await shell.wms('number', 'list');
  const token = ['--access-token-file', ''];

  const refused = [
    await shell.wms('number', 'connect', json.number_id, '--phone-number-id', '77', ...token),
    await add('Outro', '--provider', 'cloud_api', ...token),
  ];

  for (const { code, json } of refused)
    expect([code, json.error.message]).toEqual([1, expect.stringMatching(/ cannot be read: /)]);
  expect((await shell.wms('number', 'list')).json).toEqual(before.json);
});

it('says which option WhatsApp refuses, and adds nothing', async () => {
  const before = await shell.wms('number', 'list');
  const token = ['--access-token-file', shell.file('EAAG')];

  const refused = await shell.wmsInWords(
    ...['number', 'add', '--name', 'Errado', '--phone', '+5511987654321'],
    ...['--provider', 'cloud_api', '--phone-number-id', '5511987654399', ...token],
  );

  expect([refused.code, refused.err.trim()]).toEqual([
    1,
    'phone_number_id: This is the id of +5511987654399, not of +5511987654321.',
  ]);
  expect((await shell.wms('number', 'list')).json).toEqual(before.json);
});

it('removes a number with which nothing happened, connected or not, and no other', async () => {
  const { ctx, database } = shell;
  const wrong = (await add('Errado', '--provider', 'cloud_api', '--phone-number-id', '77')).json;
  const used = (await add('Usado', '--provider', 'cloud_api')).json.number_id;
  const down = (await add('Parado', '--provider', 'sandbox')).json.number_id;
  const typo = (await add('Trocado', '--provider', 'sandbox')).json.number_id;
  const { id: contactId } = await aContact(ctx);
  await aConversation(ctx, { numberId: used, contactId });
  await inWorkspace(database, ctx.organizationId, (sql) => {
    const tx = { sql, organizationId: ctx.organizationId, now: new Date() };
    return markNumberUnavailable(tx, down, { status: 'error', reason: 'test' });
  });
  await aConversation(ctx, { numberId: down, contactId });

  const removed = await shell.wms('number', 'remove', wrong.number_id);
  const again = await add('Certo', '--provider', 'cloud_api', '--phone-number-id', '77');
  const alsoRemoved = await shell.wms('number', 'remove', typo);
  const refused = [
    await shell.wms('number', 'remove', used),
    await shell.wms('number', 'remove', down),
  ];
  const audited = await inWorkspace(database, ctx.organizationId, (sql) =>
    sql.rows("select target ->> 'id' as id from audit_entries where action = 'number.removed'"),
  );

  expect([removed.code, removed.json]).toEqual([0, { number_id: wrong.number_id, removed: true }]);
  expect(again.code).toBe(0);
  expect(alsoRemoved.json).toEqual({ number_id: typo, removed: true });
  const used_by = { conversations: 1, campaigns: 0, reminders: 0, groups: 0 };
  const inUse = {
    message: expect.stringContaining('The number is in use.'),
    details: { used_by: { ...used_by, automations: 0, segments: 0 } },
  };
  expect(refused.map(({ code, json }) => [code, json.error])).toMatchObject([
    [1, inUse],
    [1, inUse],
  ]);
  expect(audited).toEqual([{ id: wrong.number_id }, { id: typo }]);
});
