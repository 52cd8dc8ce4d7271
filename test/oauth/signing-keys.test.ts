import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { readConfig } from '../../src/config.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { countSealed } from '../../src/crypto/rotation.ts';
import { asSystem } from '../../src/db/database.ts';
import { createLog } from '../../src/log.ts';
import {
  openKeySet,
  readKeySet,
  refuseOtherKeys,
  rotateSigningKeys,
} from '../../src/oauth/tokens/signing-keys.ts';
import { startService } from '../../src/service.ts';
import { CookieBrowser } from '../support/cookie-browser.ts';
import { sealAgain } from '../support/sealing.ts';
import { answer, ask } from './support/browser.ts';
import { aFlow, authorizeUrl, callApi, tokensOf } from './support/client.ts';
import { anApp, aPerson, type Person } from './support/people.ts';
import { KEYS, type OAuthScene, openOAuthScene, type Process } from './support/scene.ts';

let scene: OAuthScene;
let other: Process;
let person: Person;
beforeAll(async () => {
  scene = await openOAuthScene();
  other = await scene.another();
  person = await aPerson(scene);
});
afterAll(() => scene.close());

const aToken = async (): Promise<string> =>
  (await tokensOf(scene, aFlow(scene, await anApp(person.ctx)), person)).access_token;

/** The next call, in both processes. */
const nextCalls = async (token: string): Promise<number[]> => [
  (await callApi(scene.baseUrl, token)).status,
  (await callApi(other.baseUrl, token)).status,
];

const bothLook = (): Promise<unknown> =>
  Promise.all([scene.oauth.refreshKeys(), other.oauth.refreshKeys()]);

/** Starts the role `worker` over the scene's database, which nothing but the database could keep from starting. */
const aWorkerWith = (encryptionKeys: string): Promise<unknown> =>
  startService({
    config: readConfig({ NODE_ENV: 'test', ROLES: 'worker' }),
    parts: {
      databaseUrl: scene.databaseUrl,
      encryptionKeys,
      temporal: { address: '127.0.0.1:1', namespace: 'default' },
      temporalUiUrl: null,
      simulatorUrl: null,
      smtpUrl: null,
      whatsapp: { apiUrl: 'http://127.0.0.1:1', appSecret: '', verifyToken: '' },
      trustedOrigins: [],
      stop: async () => {},
    },
    dataDir: '/nowhere',
    log: createLog({ level: 'silent', format: 'json' }),
    step: (_, work) => work(),
    stopping: new AbortController().signal,
  });

describe('the signing keys', () => {
  it('change while everything runs: tokens of the one before go on until they have ended', async () => {
    const first = await aToken();
    await rotateSigningKeys(scene, 0);
    await bothLook();
    const fresh = await aToken();
    expect(decodeProtectedHeader(fresh).kid).not.toBe(decodeProtectedHeader(first).kid);

    expect(await nextCalls(first)).toEqual([200, 200]);
    expect(await nextCalls(fresh)).toEqual([200, 200]);

    await asSystem(scene.database, (sql) =>
      sql.rows(
        "update oauth_signing_keys set retired_at = now() - interval '1 hour' where state = 'retired'",
      ),
    );
    await rotateSigningKeys(scene);
    await bothLook();
    expect(await nextCalls(first)).toEqual([401, 401]);
    expect(await nextCalls(fresh)).toEqual([200, 200]);
  });

  it('are public without their private part, the next one among them, and encrypted where they are kept', async () => {
    const { keys } = (await (await fetch(`${scene.issuer}/jwks`)).json()) as { keys: object[] };
    const rows = await asSystem(scene.database, (sql) =>
      sql.rows<{ private_key: string }>('select private_key from oauth_signing_keys'),
    );

    expect(keys.length).toBeGreaterThanOrEqual(2);
    expect(keys.filter((key) => 'd' in key)).toEqual([]);
    expect(keys).toHaveLength(rows.length);
    expect(rows.filter(({ private_key }) => !private_key.startsWith('v1|k1|'))).toEqual([]);
  });

  it('are known an hour before they sign, and sign for 90 days', async () => {
    const age = (state: string, by: string): Promise<unknown> =>
      asSystem(scene.database, (sql) =>
        sql.rows(
          `update oauth_signing_keys set created_at = created_at - $2::interval, active_at = active_at - $2::interval where state = $1`,
          [state, by],
        ),
      );
    expect(await rotateSigningKeys(scene)).toMatchObject({ activated: 0 });
    await age('active', '90 days');
    expect(await rotateSigningKeys(scene)).toMatchObject({ activated: 0 });
    await age('next', '1 hour');
    expect(await rotateSigningKeys(scene)).toMatchObject({ activated: 1 });
    expect(await rotateSigningKeys(scene)).toMatchObject({ activated: 0 });
  });

  it('are encrypted again when the encryption key changes', async () => {
    const more = createKeyring(`k2:${Buffer.alloc(32, 9).toString('base64')},${KEYS}`);
    const { database } = scene;
    const before = await readKeySet(scene);
    await sealAgain({ database, keyring: more });

    const counts = await countSealed(database);
    expect(counts.filter(({ table }) => table === 'oauth_signing_keys')).toMatchObject([
      { keyId: 'k2', count: before?.jwks.keys.length },
    ]);
    expect(await readKeySet({ database, keyring: more })).toMatchObject({
      version: before?.version,
    });
  });

  it.each([
    ['lacks the key', 'k3'],
    ['holds another key as', 'k2'],
  ])(
    'stay as they are when ENCRYPTION_KEYS %s: no role starts, no key moves on',
    async (problem, id) => {
      const encryptionKeys = `${id}:${Buffer.alloc(32, 3).toString('base64')}`;
      const keyring = createKeyring(encryptionKeys);
      const wrong = { database: scene.database, keyring };
      const stored = () =>
        asSystem(scene.database, (sql) =>
          sql.rows('select * from oauth_signing_keys order by kid'),
        );
      const before = await stored();

      for (const start of [openKeySet, rotateSigningKeys, () => aWorkerWith(encryptionKeys)])
        await expect(start(wrong)).rejects.toThrow(`encrypted with: it ${problem} "k2"`);
      expect(await readKeySet(wrong)).toBeNull();
      expect(await stored()).toEqual(before);
    },
  );
});

describe('a new encryption key in front', () => {
  it('leaves people where they are on their way to an app', async () => {
    const spec = `k2:${Buffer.alloc(32, 9).toString('base64')},${KEYS}`;
    const moved = await scene.another(createKeyring(spec));
    const flow = aFlow(scene, await anApp(person.ctx));
    const browser = new CookieBrowser();
    const asked = await ask(browser, authorizeUrl(scene, flow));

    const page = asked.page.replace(scene.baseUrl, moved.baseUrl);
    const back = await answer(browser, { page }, person.approval(asked.view.scopes), (address) =>
      address.replace(scene.baseUrl, moved.baseUrl),
    );
    expect(back.searchParams.get('code')).not.toBeNull();
  });
});

describe('signing keys whose encryption key is declared lost', () => {
  it('refuse no start, and are replaced, also where a worker is first', async () => {
    const { database } = scene;
    const keyring = createKeyring(`k3:${Buffer.alloc(32, 3).toString('base64')},k2:lost`);
    const lost = await readKeySet({ database, keyring });
    await refuseOtherKeys({ database, keyring });
    await rotateSigningKeys({ database, keyring });
    const opened = await openKeySet({ database, keyring });

    expect(lost).toBeNull();
    expect(opened.jwks.keys).toHaveLength(2);
    const counts = await countSealed(database);
    expect(counts.filter(({ table }) => table === 'oauth_signing_keys')).toMatchObject([
      { keyId: 'k3', count: 2 },
    ]);
  });
});
