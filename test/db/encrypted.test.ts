import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import pg from 'pg';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openOrm } from '../../src/db/orm.ts';
import { persistentConnection } from '../../src/relay/processes/persistent-connection.ts';
import { type Cluster, onCluster } from '../chaos/support/cluster.ts';
import { certificateAuthority } from '../net/support/certificates.ts';
import { ownPort } from '../support/ports.ts';
import { type Child, startChild, until } from '../support/processes/child.ts';
import { SHELL_KEYS } from '../support/shell.ts';

/** A start that needs nothing else but a database. */
const startOn = async (databaseUrl: string): Promise<Child> =>
  startChild('src/main.ts', {
    NODE_ENV: 'test',
    PORT: String(await ownPort()),
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    WHATSAPP_API_URL: 'http://127.0.0.1:1',
    WHATSAPP_APP_SECRET: 'nobody-signs',
    WHATSAPP_VERIFY_TOKEN: 'nobody-asks',
    ENCRYPTION_KEYS: SHELL_KEYS,
  });

it('Every connection is encrypted where DATABASE_URL demands it, and checks whom it talks to', async () => {
  await onCluster(async (cluster) => {
    const { owner, strange } = await overTlsOnly(cluster);
    await migrate(owner);

    const database = await openDatabase({ url: owner });
    const standing = persistentConnection({ url: owner });
    await standing.ready;
    const { app, reads, system, orm } = database;
    for (const pool of [app, reads, system, standing.client])
      expect((await pool?.query('select 1'))?.rowCount).toBe(1);
    expect(await orm.em.execute('select 1')).toHaveLength(1);
    await Promise.all([database.close(), standing.close()]);

    const other = await openOrm(strange, { max: 1 });
    await expect(other.em.execute('select 1')).rejects.toThrow(/certificate/);
    await other.close(true);
    const refused = await startOn(strange);
    expect(await refused.exited).toBe(1);
    expect(refused.output()).toMatch(/^DATABASE_URL cannot be used: .*certificate/);
  });
});

/**
 * From now on the cluster takes no connection in clear. An empty database of it as its owner, and as who trusts other
 * authorities than the server's.
 */
async function overTlsOnly({ dataDir, url, superuserUrl }: Cluster) {
  const { ca, issue } = certificateAuthority();
  const { key, cert } = issue('localhost');
  const { uid, gid } = fs.statSync(dataDir);
  const put = (name: string, text: string): string => {
    const file = path.join(dataDir, name);
    fs.writeFileSync(file, text, { mode: 0o600 });
    fs.chownSync(file, uid, gid);
    return file;
  };
  put('server.key', key);
  put('server.crt', cert);
  put('pg_hba.conf', 'hostssl all all all scram-sha-256\n');
  const [trusted, others] = [ca, certificateAuthority('Others').ca].map((pem, at) =>
    put(`${at}.pem`, pem),
  );
  const superuser = new pg.Client({ connectionString: superuserUrl });
  await superuser.connect();
  await superuser.query('create database encrypted owner wms_owner');
  await superuser.query('alter system set ssl = on');
  await superuser.query('select pg_reload_conf()');
  await superuser.end();
  const trusting = (sslrootcert = ''): string => {
    const address = new URL(url.replace(/127\.0\.0\.1(.*)wms$/, 'localhost$1encrypted'));
    address.search = String(new URLSearchParams({ sslmode: 'verify-full', sslrootcert }));
    return address.href;
  };
  await until('it takes connections over TLS only', async () => {
    const client = new pg.Client({ connectionString: url });
    const refused = await client.connect().then(() => undefined, String);
    await client.end();
    return /no encryption/.test(refused ?? '');
  });
  return { owner: trusting(trusted), strange: trusting(others) };
}
