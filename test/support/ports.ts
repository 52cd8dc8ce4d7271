import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../src/embedded/ports.ts';

/**
 * A free port that no other test of the run is given, in whichever process: most listen on theirs seconds after they
 * asked for it, and some give it up and come back.
 */
export async function ownPort(): Promise<number> {
  const port = await freePort();
  const run = process.env['TEST_RUN_FOLDER'];
  return run === undefined || isFirstToAsk(path.join(run, 'ports'), port) ? port : ownPort();
}

function isFirstToAsk(folder: string, port: number): boolean {
  mkdirSync(folder, { recursive: true });
  try {
    closeSync(openSync(path.join(folder, String(port)), 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
