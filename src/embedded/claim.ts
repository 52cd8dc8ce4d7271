import fs from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.ts';
import { commandLine, isAlive } from './processes.ts';
import { StartError } from './start-error.ts';

interface Owner {
  readonly pid: number;
  /** Pids are reused, and in a container they are always the same ones. */
  readonly command: string;
}

/**
 * Reserves the data folder for this process until it ends. Otherwise a second service would mistake the first one's
 * PostgreSQL for one left behind by a killed process, and stop it on ending. Throws StartError.
 */
export async function claimDataDir(dataDir: string): Promise<void> {
  const file = path.join(dataDir, 'owner.json');
  await withLock(`${file}.lock`, async () => {
    const owner = readOwner(file);
    if (owner && owner.pid !== process.pid && commandOf(owner.pid) === owner.command) {
      throw new StartError(
        `The service runs already with ${dataDir} (process ${owner.pid}). Stop it first, or set ` +
          'DATA_DIR to another folder.',
      );
    }
    const own: Owner = { pid: process.pid, command: commandLine(process.pid) };
    fs.writeFileSync(file, JSON.stringify(own));
  });
}

const commandOf = (pid: number): string | null => (isAlive(pid) ? commandLine(pid) : null);

function readOwner(file: string): Owner | null {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Owner;
  } catch {
    return null;
  }
}
