import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { StartError } from '../start-error.ts';

/** The user that runs PostgreSQL when this process is root; absent when it is not. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root, so an existing unprivileged user is used; none is created. */
export function unprivilegedUser(): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of [process.env['SUDO_USER'], 'postgres', 'nobody']) {
    const row = users.find((user) => user[0] === name && user[2] !== '0');
    if (row) return { uid: Number(row[2]), gid: Number(row[3]) };
  }
  throw new StartError(
    'PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as. ' +
      'Start as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  );
}

function mayEnter(folder: string, { uid, gid }: Identity): boolean {
  const stat = fs.statSync(folder, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return true;
  const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001;
  return (stat.mode & bit) !== 0;
}

/** Whether `user` can enter every existing folder on the way to `target`, itself included. */
export function reachable(target: string, user: Identity): boolean {
  for (let folder = path.resolve(target); ; folder = path.dirname(folder)) {
    if (!mayEnter(folder, user)) return false;
    if (folder === path.dirname(folder)) return true;
  }
}

/**
 * Where data is stored without DATA_DIR: `.data` in the project, unless the user that runs PostgreSQL cannot reach it
 * (root in a private home); then a system folder, one per project.
 */
export function defaultDataDir(projectDir: string): string {
  const user = unprivilegedUser();
  if (!user || reachable(projectDir, user)) return path.join(projectDir, '.data');
  const project = createHash('sha256').update(path.resolve(projectDir)).digest('hex').slice(0, 8);
  return path.join('/var/lib/workspace-messaging', project);
}
