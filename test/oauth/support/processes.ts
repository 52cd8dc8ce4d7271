import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { localSecrets } from '../../../src/embedded/secrets.ts';
import { ownPort } from '../../support/ports.ts';
import { startChild, until } from '../../support/processes/child.ts';
import { KEYS, type OAuthScene } from './scene.ts';

/** An instance of the service's API: a process of its own over the scene's database, under the scene's address. */
export interface ApiProcess {
  /** Where this one is reached. */
  readonly reached: string;
  close(): Promise<void>;
}

export async function startApiProcess({ databaseUrl, baseUrl }: OAuthScene): Promise<ApiProcess> {
  const port = await ownPort();
  const reached = `http://127.0.0.1:${port}`;
  const dataDir = path.join(process.env['TEST_RUN_FOLDER'] ?? '/tmp', 'processes');
  mkdirSync(dataDir, { recursive: true });
  // Two that start at the same moment would both make them.
  localSecrets(dataDir);
  const child = startChild('src/main.ts', {
    NODE_ENV: 'test',
    ROLES: 'api',
    PORT: String(port),
    BASE_URL: baseUrl,
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    // An instance of the API answers its callers without either of them.
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    WHATSAPP_API_URL: 'http://127.0.0.1:1',
    WHATSAPP_APP_SECRET: 'nobody-signs',
    WHATSAPP_VERIFY_TOKEN: 'nobody-asks',
    ENCRYPTION_KEYS: KEYS,
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
  });
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  const answers = async (): Promise<boolean> => ended || (await fetch(`${reached}/healthz`)).ok;
  await until('the API answers', answers, { child, timeoutMs: 180_000 });
  if (ended) throw new Error(`the process ended\n${child.output()}`);
  return { reached, close: () => child.kill() };
}
