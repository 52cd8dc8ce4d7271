import { type EmbeddedTemporal, startTemporal } from '../../../src/embedded/temporal/dev-server.ts';
import { noteStarted } from '../../support/run-folder.ts';

/** A server to be killed: the run's own one belongs to everybody. */
export async function ownTemporal(dataDir: string, port = 0): Promise<EmbeddedTemporal> {
  const options = { dataDir, log: () => {}, firstPort: port, firstUiPort: 0 };
  const server = await startTemporal(options);
  noteStarted({ pid: server.pid, mark: dataDir, signal: 'SIGKILL' });
  return server;
}
