import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { createKeyring, type Keyring } from '../../src/crypto/keyring.ts';
import { countSealed, type Unreadable } from '../../src/crypto/rotation.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { messageOf } from '../../src/errors.ts';
import { connectNumber } from '../../src/numbers/connecting.ts';
import { sendingNumber } from '../../src/numbers/sending.ts';
import { addNumber } from '../../src/numbers/service.ts';
import { rotateSecret } from '../../src/webhooks/rotating.ts';
import { createEndpoint } from '../../src/webhooks/service.ts';
import { createSigningKeys } from '../../src/webhooks/signing/keys.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { sealAgain } from '../support/sealing.ts';
import { runUpkeep } from '../support/upkeep.ts';
import { asOwner } from '../webhooks/events/support/refusing.ts';

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const OLD = key('old');
const NEW = key('new');
const [before, both, after] = [OLD, `${NEW},${OLD}`, NEW].map(createKeyring) as [
  Keyring,
  Keyring,
  Keyring,
];

const database = opened(openOwnDatabase);

const parts = (keyring: Keyring) => ({ keyring, trustedOrigins: ['http://127.0.0.1:1'] });

/** A workspace with a secret in each column, encrypted by `keyring`. */
async function secretsOf(keyring: Keyring) {
  const { ctx } = await aWorkspace(database);
  const { organizationId } = ctx;
  const { id: endpointId } = await createEndpoint(
    ctx,
    { name: 'Pedidos', url: 'http://127.0.0.1:1/hooks', events: ['message.sent'] },
    parts(keyring),
  );
  await rotateSecret(ctx, endpointId, keyring);
  const { id: numberId } = await addNumber(
    ctx,
    { name: 'Vendas', phone: '+5511987654321', provider: 'sandbox', accessToken: 'EAAtoken' },
    keyring,
  );
  const place = { table: 'idempotency_keys', row: 'key_1:once', organizationId, column: 'body' };
  await inWorkspace(database, organizationId, (sql) =>
    sql.rows(
      `insert into idempotency_keys (organization_id, credential_id, key, fingerprint, status, body, request_id, created_at)
       values ($1, 'key_1', 'once', '\\x00', 201, $2, 'req_1', now()), ($1, 'key_1', 'other', '\\x00', 201, '{"id":"x"}', 'req_2', now())`,
      [organizationId, keyring.encrypt('{"secret":"whsec_x"}', place)],
    ),
  );
  return {
    ctx,
    endpointId,
    numberId,
    read: (by: Keyring) => readAll(ctx, { endpointId, numberId }, by),
  };
}

async function readAll(
  ctx: Context,
  { endpointId, numberId }: { endpointId: string; numberId: string },
  by: Keyring,
) {
  const { organizationId } = ctx;
  return inWorkspace(database, organizationId, async (sql) => {
    const [endpoint] = await sql.rows<
      Parameters<ReturnType<typeof createSigningKeys>['keysFor']>[0]
    >(
      `select organization_id as "organizationId", id as "endpointId", secret, previous_secret as "previousSecret",
         previous_valid_until as "previousValidUntil", secret_version as "secretVersion" from webhook_endpoints where id = $1`,
      [endpointId],
    );
    const number = await sendingNumber(sql, by, organizationId, numberId);
    const [answer] = await sql.rows<{ body: string }>(
      `select body from idempotency_keys where key = 'once'`,
    );
    const place = { table: 'idempotency_keys', row: 'key_1:once', organizationId, column: 'body' };
    if (!endpoint || !answer) throw new TypeError('nothing is there');
    return {
      keys: createSigningKeys(by)
        .keysFor(endpoint, ctx.now)
        .map((key) => key.export().toString('hex')),
      token: number?.accessToken,
      answer: by.decrypt(answer.body, place),
    };
  });
}

const ofKey = async (keyId: string): Promise<number> =>
  (await countSealed(database))
    .filter((c) => c.keyId === keyId)
    .reduce((sum, { count }) => sum + count, 0);

describe('changing the key that encrypts', () => {
  it('goes without a moment in which anything cannot be read, and in the end needs the old key no more', async () => {
    const { read } = await secretsOf(before);
    const values = await read(before);
    expect(values.keys).toHaveLength(2);
    expect(values.token).toBe('EAAtoken');
    expect(await read(both)).toEqual(values);
    expect(await ofKey('old')).toBe(4);

    const { position, finished } = await sealAgain({ database, keyring: both });

    expect([position.done, finished]).toEqual([4, true]);
    expect([await ofKey('old'), await ofKey('new')]).toEqual([0, 4]);
    expect(await read(after)).toEqual(values);
    expect(await read(both)).toEqual(values);
    expect((await sealAgain({ database, keyring: both })).position.done).toBe(0);
  });

  it('leaves a secret alone that changes at the same moment', async () => {
    const { ctx, numberId, read } = await secretsOf(before);
    let changed: Promise<unknown> | null = null;
    const racing: Keyring = {
      ...both,
      encrypt: (plain, place) => {
        if (place.table === 'numbers')
          changed ??= connectNumber(ctx, numberId, { accessToken: 'EAAfresh' }, both);
        return both.encrypt(plain, place);
      },
    };
    const afterTheChange = async () => {
      await changed;
      return database.app.connect();
    };
    // Read before the change, written after it.
    const held = {
      ...database,
      app: new Proxy(database.app, {
        get: (pool, name) => (name === 'connect' ? afterTheChange : Reflect.get(pool, name)),
      }),
    };

    await sealAgain({ database: held, keyring: racing });

    expect((await read(after)).token).toBe('EAAfresh');
  });

  it('tells of what cannot be read and leaves it, and does the rest', async () => {
    const { ctx, read } = await secretsOf(createKeyring(key('lost')));
    const { read: readOther } = await secretsOf(before);
    const values = await readOther(before);
    const told: Unreadable[] = [];

    await sealAgain({ database, keyring: both }, { unreadable: (what) => told.push(what) });

    expect(told.map(({ organizationId, reason }) => [organizationId, reason])).toEqual(
      Array.from({ length: 4 }, () => [ctx.organizationId, 'unknown_key']),
    );
    expect(JSON.stringify(told)).not.toContain('|');
    expect(await readOther(after)).toEqual(values);
    await expect(read(after)).rejects.toThrow('unknown_key');
    expect(await ofKey('lost')).toBe(4);
  });

  it('comes to what stands behind many that cannot be read', async () => {
    const { ctx, read } = await secretsOf(before);
    const values = await read(before);
    const { organizationId } = ctx;
    const place = { table: 'idempotency_keys', row: 'key_1:a', organizationId, column: 'body' };
    await inWorkspace(database, organizationId, (sql) =>
      sql.rows(
        `insert into idempotency_keys (organization_id, credential_id, key, fingerprint, status, body, request_id, created_at)
         select $1, 'key_1', 'a' || n, '\\x00', 201, $2, 'req_1', now() from generate_series(1, 100) n`,
        [organizationId, createKeyring(key('lost')).encrypt('{}', place)],
      ),
    );

    await sealAgain({ database, keyring: both });

    expect(await read(after)).toEqual(values);
  });

  it('tells of a workspace that fails, and does the others', async () => {
    const first = await secretsOf(before);
    const second = await secretsOf(before);
    const [fails, other] =
      first.ctx.organizationId < second.ctx.organizationId ? [first, second] : [second, first];
    const values = await other.read(before);
    await asOwner(
      database.url,
      `alter table numbers add constraint refusing check (organization_id <> '${fails.ctx.organizationId}') not valid`,
    );
    const told: [string, string][] = [];

    const { finished } = await sealAgain(
      { database, keyring: both },
      { failed: (id, error) => told.push([id, messageOf(error)]) },
    );

    expect(told).toEqual([[fails.ctx.organizationId, expect.stringContaining('refusing')]]);
    expect(finished).toBe(true);
    expect(await other.read(after)).toEqual(values);
    await asOwner(database.url, 'alter table numbers drop constraint refusing');
    await sealAgain({ database, keyring: both });
    await expect(fails.read(after)).resolves.toMatchObject({ token: 'EAAtoken' });
  });

  it('goes on where it was stopped, and does nothing with one key', async () => {
    const { read } = await secretsOf(before);
    let steps = 0;
    const mayGoOn = (): boolean => {
      steps += 1;
      return steps < 3;
    };
    let { position, finished } = await sealAgain({ database, keyring: both }, { mayGoOn });
    expect(finished).toBe(false);
    expect(position.after).not.toBe('');

    while (!finished)
      ({ position, finished } = await sealAgain({ database, keyring: both }, { from: position }));

    expect(await ofKey('old')).toBe(0);
    await expect(read(after)).resolves.toMatchObject({ token: 'EAAtoken' });
    expect(await sealAgain({ database, keyring: after })).toEqual({
      position: { after: '', done: 0 },
      finished: true,
    });
  });

  it('keeps what was given out before it: a MAC of the older key is still ours', () => {
    const mac = before.hmac('cursor', 'a');

    expect(both.verifies('cursor', 'a', mac)).toBe(true);
    expect(both.verifies('cursor', 'b', mac)).toBe(false);
    expect(both.verifies('other', 'a', mac)).toBe(false);
    expect(after.verifies('cursor', 'a', mac)).toBe(false);
    expect(both.verifies('cursor', 'a', mac.subarray(1))).toBe(false);
    expect(both.hmac('cursor', 'a')).toEqual(after.hmac('cursor', 'a'));
  });

  it('is a workflow that goes through all workspaces', async () => {
    const { read } = await secretsOf(before);
    const values = await read(before);

    await runUpkeep({ workflow: 'rotateKeys', history: 'rotate-keys', database, keyring: both });

    expect(await read(after)).toEqual(values);
  });
});
