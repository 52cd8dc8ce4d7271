import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { examine } from '../../src/cli/commands/doctor.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { asOwner } from '../../src/db/owner.ts';
import { openKeySet } from '../../src/oauth/tokens/signing-keys.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { runAlone } from '../support/shell/terminals.ts';

let database: OwnDatabase;
let receiver: Receiver;
beforeAll(async () => {
  database = await openOwnDatabase();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await database.close();
});

const found = async (settings: Record<string, string>): Promise<string[]> => {
  const nobody = { DATA_DIR: '/nowhere' };
  const findings = await examine({ ...nobody, ...settings });
  return findings.map(({ check, ok, says }) => `${ok ? 'ok' : 'FAIL'} ${check}: ${says}`);
};

it('a configuration with wrong settings is examined as far as it can be without them', async () => {
  const findings = await found({
    NODE_ENV: 'test',
    PORT: 'eighty',
    TEMPORAL_ADDRESS: 'nowhere',
    DATABASE_URL: database.url,
    BASE_URL: receiver.origin,
    WHATSAPP_API_URL: receiver.origin,
    WHATSAPP_APP_SECRET: 'eight or more',
    WHATSAPP_VERIFY_TOKEN: 'eight or more',
  });

  expect(findings).toEqual([
    expect.stringMatching(/^FAIL configuration: PORT .+ Example: PORT=3000$/),
    expect.stringMatching(/^FAIL configuration: TEMPORAL_ADDRESS .+ Example: /),
    expect.stringMatching(/^ok database: PostgreSQL .+ answers$/),
    'ok owner: is no superuser',
    'ok writing: the database takes what is written',
    'ok migrations: up to date',
    'FAIL keys: No keys are known. Start the service (npm start) or set ENCRYPTION_KEYS.',
    'FAIL temporal: Not checked: correct TEMPORAL_ADDRESS first.',
    'FAIL search attributes: Not checked: correct TEMPORAL_ADDRESS first.',
    'FAIL workers: Not checked: correct TEMPORAL_ADDRESS first.',
    'FAIL upkeep: Not checked: correct TEMPORAL_ADDRESS first.',
    'ok one temporal: no worker uses any',
    'FAIL api: Not checked: correct PORT first.',
    `ok gateway: ${receiver.origin} answers (200)`,
  ]);
});

it('a superuser as the owner of the database is told, since nothing else would tell', async () => {
  const asSuperuser = new URL(process.env['TEST_PG_URL'] ?? '');
  asSuperuser.pathname = new URL(database.url).pathname;
  const findings = await found({ NODE_ENV: 'test', DATABASE_URL: asSuperuser.href });

  expect(findings).toContain(
    'FAIL owner: The role in DATABASE_URL is a superuser, whom row level security does not bind. Give the database an owner that is none.',
  );
  expect(findings).toContain('ok migrations: up to date');
});

it('a database that only reads, as with a full disk or as a standby, is told from one that works', async () => {
  const url = new URL(database.url);
  const name = url.pathname.slice(1);
  await asOwner(database.url, (client) =>
    client.query(`alter database "${name}" set default_transaction_read_only = on`),
  );
  const findings = await found({ NODE_ENV: 'test', DATABASE_URL: database.url });
  await asOwner(
    database.url,
    (client) => client.query(`alter database "${name}" reset default_transaction_read_only`),
    '-c default_transaction_read_only=off',
  );

  expect(findings).toContain('ok migrations: up to date');
  expect(findings.find((each) => each.includes(' writing: '))).toMatch(
    /^FAIL writing: cannot execute .+ in a read-only transaction$/,
  );
});

it('keys by which no process could start are told, and what cannot be read is not', async () => {
  const keyOf = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
  const own = await openOwnDatabase();
  await openKeySet({ database: own, keyring: createKeyring(keyOf('k1', 1)) });
  const saysWith = async (ENCRYPTION_KEYS: string) => {
    const findings = await found({ NODE_ENV: 'test', DATABASE_URL: own.url, ENCRYPTION_KEYS });
    return findings.find((each) => each.includes(' keys: '));
  };

  const [right, rotating, without, other, unreadable] = [
    await saysWith(keyOf('k1', 1)),
    await saysWith(`${keyOf('k2', 2)},${keyOf('k1', 1)}`),
    await saysWith(keyOf('k2', 2)),
    await saysWith(keyOf('k1', 2)),
    await saysWith('k1'),
  ];
  await own.close();

  expect([right, rotating]).toEqual(Array(2).fill('ok keys: are those of this database'));
  expect(without).toMatch(/^FAIL keys: ENCRYPTION_KEYS is not .+ it lacks the key "k1"\./);
  expect(other).toMatch(/^FAIL keys: ENCRYPTION_KEYS is not .+ it holds another key as "k1"\./);
  expect(unreadable).toBe('FAIL keys: Not checked: correct ENCRYPTION_KEYS first.');
});

it('settings that contradict each other are named beside every check', async () => {
  const findings = await found({
    NODE_ENV: 'test',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    BASE_URL: receiver.origin,
    AI_MODEL: 'm',
  });

  expect(findings.slice(0, 2)).toEqual([
    'FAIL configuration: AI_BASE_URL and AI_MODEL belong together. Set both.',
    expect.stringMatching(/^FAIL database: .*ECONNREFUSED .+ \(npm start\) or set DATABASE_URL\.$/),
  ]);
  expect(findings).toHaveLength(13);
});

it('the command exits with 1 while anything is wrong, in words and in JSON', async () => {
  const nobody = { ...process.env, DATA_DIR: '/nowhere', DATABASE_URL: database.url };

  const words = await runAlone(['doctor'], nobody);
  const { code, json } = await runAlone(['doctor', '--json'], nobody);

  expect([words.code, words.out]).toEqual([1, expect.stringMatching(/^FAIL +\w/m)]);
  expect([code, json]).toEqual([1, { healthy: false, findings: expect.any(Array) }]);
});

it('what is down is said once with what to do, and not beside every check that needs it', async () => {
  const findings = await found({
    NODE_ENV: 'test',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    BASE_URL: 'http://127.0.0.1:1',
  });

  expect(findings.slice(1)).toEqual([
    expect.stringMatching(/^FAIL database: .*ECONNREFUSED .+ or set DATABASE_URL\.$/),
    'FAIL owner: Not checked: first see to what "database" says.',
    'FAIL writing: Not checked: first see to what "database" says.',
    'FAIL migrations: Not checked: first see to what "database" says.',
    'FAIL keys: Not checked: first see to what "database" says.',
    expect.stringMatching(/^FAIL temporal: .+ or set TEMPORAL_ADDRESS\.$/),
    'FAIL search attributes: Not checked: first see to what "temporal" says.',
    'FAIL workers: Not checked: first see to what "temporal" says.',
    'FAIL upkeep: Not checked: first see to what "temporal" says.',
    'FAIL one temporal: Not checked: first see to what "database" says.',
    expect.stringMatching(/^FAIL api: .+ or set BASE_URL\.$/),
    expect.stringMatching(/^FAIL gateway: .+ or set WHATSAPP_API_URL\.$/),
  ]);
});

it.each([
  ['production', /^(?!.*npm start).*Check BASE_URL, and that its server runs\.$/],
  ['development', /Start the service \(npm start\) or set BASE_URL\.$/],
])('what is silent in %s is started as it is there', async (environment, says) => {
  const findings = await found({
    NODE_ENV: environment,
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    BASE_URL: 'http://127.0.0.1:1',
    WHATSAPP_API_URL: receiver.origin,
  });

  expect(findings.find((each) => each.includes(' api: '))).toMatch(says);
  if (environment === 'production') expect(findings.join()).not.toContain('npm start');
});

it.each([
  ['a proxy that keeps /readyz from outside', 403, 'ok api: {} answers, and keeps /readyz from'],
  [
    'an api that is not ready',
    503,
    'FAIL api: {}/readyz answers 503: clock: This machine is late.',
  ],
  ['a proxy without an api', 502, 'FAIL api: {}/readyz answers 502: <p>Bad gateway</p>'],
])('at the public address may stand %s', async (_, status, says) => {
  const checks = [
    { name: 'clock', ok: false, required: true, detail: 'This machine is late.' },
    { name: 'temporal', ok: false, required: false, detail: 'ECONNREFUSED' },
    { name: 'database', ok: true, required: true, detail: 'answers' },
  ];
  const body = status === 502 ? '<p>Bad gateway</p>' : JSON.stringify({ status: '', checks });
  receiver.answer = ({ path: asked }) => (asked === '/readyz' ? { status, body } : { status: 200 });
  const findings = await found({
    NODE_ENV: 'test',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    BASE_URL: receiver.origin,
    WHATSAPP_API_URL: receiver.origin,
  });

  const [said] = findings.filter((each) => each.includes(' api: '));
  expect(said?.replace(' outside, as it should', '')).toBe(says.replace('{}', receiver.origin));
});

it("a Temporal that nobody named is not looked for at somebody else's", async () => {
  const findings = await found({ NODE_ENV: 'test', BASE_URL: receiver.origin });

  expect(findings).toContain(
    'FAIL temporal: No Temporal address is known. Start the service (npm start) or set TEMPORAL_ADDRESS.',
  );
});
