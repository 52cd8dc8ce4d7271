import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { localSecrets } from '../../../src/embedded/secrets.ts';
import type { LedgerEntry } from '../../../src/simulator/sending/ledger.ts';
import { setFaults } from '../faults.ts';
import { ownPort } from '../ports.ts';
import { type Child, startChild, until } from './child.ts';

export interface ProcessesOptions {
  /** The owner's address of a migrated database. */
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly trustedOrigins?: readonly string[];
  readonly environment?: Record<string, string>;
}

export interface Service extends Child {
  readonly baseUrl: string;
}

/** The service as real processes around one database, one Temporal server and one simulator. */
export interface Processes {
  readonly simulator: Child & {
    readonly url: string;
    /** Every message the simulator accepted. */
    accepted(): Promise<LedgerEntry[]>;
    faults(faults: Record<string, unknown>): Promise<void>;
  };
  readonly encryptionKeys: string;
  /** Its processes' own, and so the name of their deployment. */
  readonly taskQueue: string;
  /** Starts a process with these roles and waits until it is ready. */
  start(
    roles: 'api' | 'worker' | 'api,worker',
    environment?: Record<string, string>,
  ): Promise<Service>;
  /** Where the api listens, and the simulator reports to. */
  readonly apiPort: number;
  close(): Promise<void>;
}

export async function openProcesses(options: ProcessesOptions): Promise<Processes> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wms-processes-'));
  const [apiPort, simulatorPort] = await Promise.all([ownPort(), ownPort()]);
  const taskQueue = path.basename(folder);
  const appSecret = randomBytes(16).toString('hex');
  const encryptionKeys = `test:${randomBytes(32).toString('base64')}`;
  const children: Child[] = [];
  // One for all tests of a run, so that the workflows are bundled once.
  const dataDir = path.join(process.env['TEST_RUN_FOLDER'] ?? folder, 'processes');
  mkdirSync(dataDir, { recursive: true });
  localSecrets(dataDir);

  const simulatorUrl = `http://127.0.0.1:${simulatorPort}`;
  const simulatorChild = startChild('src/simulator/main.ts', {
    SIMULATOR_PORT: String(simulatorPort),
    SIMULATOR_CALLBACK_URL: `http://127.0.0.1:${apiPort}/webhooks/whatsapp`,
    WHATSAPP_APP_SECRET: appSecret,
    SIMULATOR_LEDGER: path.join(folder, 'ledger.jsonl'),
  });
  children.push(simulatorChild);
  await until(
    'the simulator answers',
    async () => (await fetch(`${simulatorUrl}/simulator/messages`)).ok,
    { child: simulatorChild },
  );

  const start = async (
    roles: string,
    environment: Record<string, string> = {},
  ): Promise<Service> => {
    const port =
      roles.includes('api') && !environment['PORT']
        ? apiPort
        : Number(environment['PORT'] ?? (await ownPort()));
    const child = startChild('src/main.ts', {
      NODE_ENV: 'test',
      ROLES: roles,
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: options.databaseUrl,
      TEMPORAL_ADDRESS: options.temporalAddress,
      TEMPORAL_TASK_QUEUE: taskQueue,
      WHATSAPP_API_URL: simulatorUrl,
      WHATSAPP_APP_SECRET: appSecret,
      WHATSAPP_VERIFY_TOKEN: 'verify-token-of-the-tests',
      ENCRYPTION_KEYS: encryptionKeys,
      WEBHOOK_TRUSTED_ORIGINS: (options.trustedOrigins ?? []).join(','),
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      ...options.environment,
      ...environment,
    });
    children.push(child);
    const baseUrl = `http://127.0.0.1:${port}`;
    let exit: number | null | undefined;
    void child.exited.then((code) => {
      exit = code;
    });
    await until(
      `a process with the roles ${roles} is ready`,
      async () => exit !== undefined || (await fetch(`${baseUrl}/readyz`)).ok,
      { child, timeoutMs: 180_000 },
    );
    if (exit !== undefined) throw new Error(`the process ended with ${exit}\n${child.output()}`);
    return { ...child, baseUrl };
  };

  return {
    apiPort,
    encryptionKeys,
    taskQueue,
    start,
    simulator: {
      ...simulatorChild,
      url: simulatorUrl,
      accepted: async () => {
        const answer = (await (await fetch(`${simulatorUrl}/simulator/messages`)).json()) as {
          data: LedgerEntry[];
        };
        return answer.data;
      },
      faults: (faults) => setFaults({ url: simulatorUrl }, faults),
    },
    close: async () => {
      await Promise.all(children.map((child) => child.kill('SIGKILL')));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
