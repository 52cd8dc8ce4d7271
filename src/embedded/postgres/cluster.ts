import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeJsonFile } from '../json-file.ts';
import { StartError } from '../start-error.ts';
import { type Identity, reachable } from './unprivileged.ts';

/** Passwords of a cluster: `superuser` of the role postgres, `owner` of the role wms_owner. */
export interface Credentials {
  readonly superuser: string;
  readonly owner: string;
}

/**
 * The part of our environment that PostgreSQL's programs see: a `PGDATA` or `PGPORT` in the shell would mislead them.
 */
export const childEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  LC_ALL: 'C',
  TZ: 'UTC',
});

const initialised = (dataDir: string): boolean => fs.existsSync(path.join(dataDir, 'PG_VERSION'));

/** Passwords are generated once and stored beside the data, readable only by the owner of this process. */
function credentials(dataDir: string): Credentials {
  const file = `${dataDir}.credentials.json`;
  if (fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, 'utf8')) as Credentials;
  if (initialised(dataDir)) {
    throw new StartError(
      `The passwords of the database in ${dataDir} are gone (${file}). Put the file back, or ` +
        `remove ${dataDir} to start with an empty database.`,
    );
  }
  const draw = (): string => randomBytes(24).toString('hex');
  const fresh = { superuser: draw(), owner: draw() };
  writeJsonFile(file, fresh);
  return fresh;
}

function claimFolder(dataDir: string, user: Identity | undefined): void {
  if (user && !reachable(path.dirname(dataDir), user)) {
    throw new StartError(
      `PostgreSQL runs as uid ${user.uid}, which cannot reach ${dataDir}. Set DATA_DIR to a folder ` +
        'outside of a private home, for example /var/lib/workspace-messaging.',
    );
  }
  fs.mkdirSync(dataDir, { recursive: true });
  // Also when it was there: PostgreSQL refuses a copy whose modes were not kept.
  fs.chmodSync(dataDir, 0o700);
  if (user) handOver(dataDir, user);
}

/** Gives the folder to `user`, and what is in it when it is somebody else's: root's copy of a cluster is root's. */
function handOver(dataDir: string, { uid, gid }: Identity): void {
  const version = path.join(dataDir, 'PG_VERSION');
  const owner = fs.statSync(version, { throwIfNoEntry: false })?.uid ?? uid;
  if (owner !== uid) {
    const files = fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
    // The file that is asked comes last: a start that is killed in between is made up for by the next one.
    const rest = files.filter((name) => name !== 'PG_VERSION');
    for (const name of [...rest, 'PG_VERSION']) fs.lchownSync(path.join(dataDir, name), uid, gid);
  }
  fs.chownSync(dataDir, uid, gid);
}

function initdb(executable: string, args: string[], user: Identity | undefined): void {
  try {
    execFileSync(executable, args, {
      ...user,
      env: childEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    const { stderr } = error as { stderr?: Buffer };
    throw new StartError(`PostgreSQL could not create its database: ${stderr ?? error}`);
  }
}

/** Creates the cluster the first time, independent of the system's locales; returns its passwords. */
export function prepareCluster(options: {
  dataDir: string;
  durable: boolean;
  user: Identity | undefined;
  initdb: string;
}): Credentials {
  const { dataDir, user } = options;
  claimFolder(dataDir, user);
  const passwords = credentials(dataDir);
  if (initialised(dataDir)) return passwords;
  // Removes what an `initdb` that was killed left behind.
  for (const name of fs.readdirSync(dataDir))
    fs.rmSync(path.join(dataDir, name), { recursive: true });

  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-initdb-'));
  const passwordFile = path.join(folder, 'password');
  fs.writeFileSync(passwordFile, `${passwords.superuser}\n`, { mode: 0o600 });
  if (user) {
    fs.chownSync(folder, user.uid, user.gid);
    fs.chownSync(passwordFile, user.uid, user.gid);
  }
  const where = ['-D', dataDir, '-U', 'postgres', `--pwfile=${passwordFile}`];
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const rest = ['--auth=scram-sha-256', '--encoding=UTF8', '--no-instructions'];
  try {
    initdb(
      options.initdb,
      [...where, ...locale, ...rest, ...(options.durable ? [] : ['--no-sync'])],
      user,
    );
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  return passwords;
}
