import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';
import type { Simulator } from '../simulator/simulator.ts';
import { type TemporalAddress, temporalAddress } from '../temporal/address.ts';
import type { Checklist } from './checklist.ts';
import { claimDataDir } from './claim.ts';
import { localSecrets } from './secrets.ts';
import { StartError } from './start-error.ts';
import type { TemporalOptions } from './temporal/dev-server.ts';

/** What the service depends on: configured, or started here. */
export interface Parts {
  readonly databaseUrl: string;
  readonly temporal: TemporalAddress;
  readonly temporalUiUrl: string | null;
  readonly simulatorUrl: string | null;
  /** Null if there is nowhere to send mail: no simulator and no `SMTP_URL`. */
  readonly smtpUrl: string | null;
  readonly whatsapp: {
    readonly apiUrl: string;
    readonly appSecret: string;
    readonly verifyToken: string;
  };
  readonly encryptionKeys: string;
  readonly trustedOrigins: readonly string[];
  /** Stops what was started here, in reverse order. */
  stop(): Promise<void>;
}

/** The demo's receiver: trusted when PostgreSQL, Temporal or WhatsApp are the embedded ones. */
const DEMO_RECEIVER = 'http://127.0.0.1:3999';
const DATABASE = 'wms';

/**
 * Starts the parts for which no address is configured, and loads nothing for the others. `step` reports each with its
 * time.
 */
export async function startParts(
  config: Config,
  dataDir: string,
  { step, note: log, stopping }: Checklist,
): Promise<Parts> {
  makeDataDir(dataDir);
  if (!config.DATABASE_URL || !config.TEMPORAL_ADDRESS) await claimDataDir(dataDir);
  const secrets = config.NODE_ENV === 'production' ? null : localSecrets(dataDir);
  await using started = new AsyncDisposableStack();
  const start = { config, dataDir, step, started };
  const both = [database(start), embeddedTemporal(start, { log, stopping })] as const;
  // If one fails, the other has still been started; only after this are both known and can be stopped.
  await Promise.allSettled(both);
  const [databaseUrl, temporal] = await Promise.all(both);
  const whatsapp = whatsappSettings(config, secrets);
  const simulator = config.WHATSAPP_API_URL
    ? null
    : await step('WhatsApp simulator', async () => {
        const { startSimulator } = await import('../simulator/simulator.ts');
        return startSimulator({
          port: config.SIMULATOR_PORT,
          callbackUrl:
            config.SIMULATOR_CALLBACK_URL ?? `http://127.0.0.1:${config.PORT}/webhooks/whatsapp`,
          appSecret: whatsapp.appSecret,
          ledgerFile: path.join(dataDir, 'simulator.jsonl'),
          log,
        });
      });
  if (simulator) started.defer(() => simulator.stop());
  const parts = {
    databaseUrl,
    temporal: temporalAddress(config, temporal?.address),
    temporalUiUrl: config.TEMPORAL_UI_URL ?? temporal?.uiUrl ?? null,
    simulatorUrl: simulator?.url ?? null,
    smtpUrl: mailServer(config, simulator),
    whatsapp: { ...whatsapp, apiUrl: config.WHATSAPP_API_URL ?? simulator?.url ?? '' },
    encryptionKeys: config.ENCRYPTION_KEYS ?? secrets?.encryptionKeys ?? '',
    trustedOrigins: config.WEBHOOK_TRUSTED_ORIGINS ?? (simulator ? [DEMO_RECEIVER] : []),
  };
  // Last: whatever throws before it, as a certificate that cannot be read, stops what was started.
  const running = started.move();
  return { ...parts, stop: () => running.disposeAsync() };
}

function makeDataDir(dataDir: string): void {
  try {
    fs.mkdirSync(dataDir, { recursive: true });
  } catch (error) {
    const reason = (error as Error).message;
    throw new StartError(`DATA_DIR cannot be used: ${reason}. Example: DATA_DIR=.data`);
  }
}

/** A start in progress; `started` collects how to stop each part. */
interface Start {
  readonly config: Config;
  readonly dataDir: string;
  readonly step: Checklist['step'];
  readonly started: AsyncDisposableStack;
}

async function database({ config, dataDir, step, started }: Start): Promise<string> {
  if (config.DATABASE_URL) return config.DATABASE_URL;
  return step('PostgreSQL', async () => {
    const { startPostgres } = await import('./postgres/postgres.ts');
    const { ensureOwnedDatabase } = await import('./postgres/owner.ts');
    const postgres = await startPostgres({
      dataDir: path.join(dataDir, 'postgres'),
      durable: true,
    });
    started.defer(() => postgres.stop());
    return ensureOwnedDatabase(postgres, DATABASE);
  });
}

async function embeddedTemporal(
  { config, dataDir, step, started }: Start,
  options: Pick<TemporalOptions, 'log' | 'stopping'>,
) {
  if (config.TEMPORAL_ADDRESS) return null;
  return step('Temporal', async () => {
    const { startTemporal } = await import('./temporal/dev-server.ts');
    const temporal = await startTemporal({ dataDir: path.join(dataDir, 'temporal'), ...options });
    started.defer(() => temporal.stop());
    return temporal;
  });
}

const mailServer = (config: Config, simulator: Pick<Simulator, 'smtpUrl'> | null): string | null =>
  config.SMTP_URL ?? simulator?.smtpUrl ?? null;

function whatsappSettings(config: Config, secrets: ReturnType<typeof localSecrets> | null) {
  return {
    appSecret: config.WHATSAPP_APP_SECRET ?? secrets?.whatsappAppSecret ?? '',
    verifyToken: config.WHATSAPP_VERIFY_TOKEN ?? secrets?.whatsappVerifyToken ?? '',
  };
}
