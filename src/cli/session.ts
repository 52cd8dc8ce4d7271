import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { system } from '../access/actor.ts';
import { type Config, ownAddress, readConfig } from '../config.ts';
import type { Context, News } from '../context.ts';
import { createKeyring, type Keyring } from '../crypto/keyring.ts';
import { type Clock, databaseClock } from '../db/clock.ts';
import { createContext } from '../db/contexts.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { isState, UNDEFINED_COLUMN, UNDEFINED_FUNCTION, UNDEFINED_TABLE } from '../db/sqlstates.ts';
import { UnfitDatabase, whyNotNow } from '../db/unusable.ts';
import { defaultDataDir } from '../embedded/postgres/unprivileged.ts';
import { type RunFile, readRunFile } from '../embedded/run-file.ts';
import { messageOf } from '../errors.ts';
import type { CloudApiOptions } from '../gateway/cloud-api/client.ts';
import { type CloudApiGateway, createCloudApiGateway } from '../gateway/cloud-api/gateway.ts';
import type { Accounts } from '../gateway/port.ts';
import { refuseOtherKeys } from '../oauth/tokens/signing-keys.ts';
import { createWaker, STOPS } from '../relay/processes/waker.ts';
import { type TemporalAddress, temporalAddress } from '../temporal/address.ts';
import { CommandError } from './output.ts';
import { remedy } from './remedy.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** `run` is null if no service runs from this data folder on this database. */
export interface Surroundings {
  readonly config: Config;
  readonly run: RunFile | null;
  readonly databaseUrl: string | undefined;
  /** The public address. */
  readonly baseUrl: string;
}

/**
 * The environment, and what a service running here has recorded about itself. Of another database's service nothing is
 * taken: neither its keys nor its Temporal belong to what `DATABASE_URL` names.
 */
export function surroundings(config: Config = readConfig()): Surroundings {
  const here = readRunFile(path.resolve(config.DATA_DIR ?? defaultDataDir(PROJECT)));
  const isOther = config.DATABASE_URL !== undefined && config.DATABASE_URL !== here?.databaseUrl;
  const run = isOther ? null : here;
  return {
    config,
    run,
    databaseUrl: config.DATABASE_URL ?? run?.databaseUrl,
    baseUrl: config.BASE_URL ?? run?.baseUrl ?? ownAddress(config),
  };
}

/** Of the configured server, or the running service's: the one at the usual port may be anybody's. */
export function temporalOf({ config, run }: Pick<Surroundings, 'config' | 'run'>): TemporalAddress {
  if (config.TEMPORAL_ADDRESS || run?.temporalAddress)
    return {
      ...temporalAddress(config, run?.temporalAddress),
      namespace: temporalNamespace({ config, run }),
    };
  throw new CommandError(`No Temporal address is known. ${remedy(config, 'TEMPORAL_ADDRESS')}`);
}

/** The one that belongs to the address: with that of the running service comes its namespace. */
export const temporalNamespace = ({ config, run }: Pick<Surroundings, 'config' | 'run'>): string =>
  (config.TEMPORAL_ADDRESS ? null : run?.temporalNamespace) ?? config.TEMPORAL_NAMESPACE;

/** What commands that change the database directly need. */
export interface Session extends Surroundings {
  readonly database: Database;
  readonly keyring: Keyring;
  /** The database's time: the one of this machine may be anything. */
  readonly clock: Clock;
  /** WhatsApp, or the simulator of the service that runs here; connected when it is first asked for. */
  whatsapp(): Accounts;
  /**
   * A context in this workspace, or by default in the demo workspace of the service that runs here, acting as the
   * command line. Refuses an unknown workspace.
   */
  contextFor(organizationId: string | undefined): Promise<Context>;
  /**
   * Resolves once no running process begins anything more for what the contexts have stopped: before the command says
   * so. Once for all of it, because each asking takes a moment.
   */
  tellOfStops(): Promise<void>;
}

interface Options {
  /** For a command that says which keys are missing. */
  readonly withAnyKeys?: boolean;
}

/**
 * Opens the database of the running service, or of `DATABASE_URL`, for the duration of one command. Refuses keys by which
 * the service could not start: it could not read what a command encrypts with them.
 */
export async function withSession<T>(
  work: (session: Session) => Promise<T>,
  { withAnyKeys = false }: Options = {},
): Promise<T> {
  const around = surroundings();
  const { databaseUrl } = around;
  const encryptionKeys = around.config.ENCRYPTION_KEYS ?? around.run?.encryptionKeys;
  if (!databaseUrl || !encryptionKeys) {
    throw new CommandError(
      `No service is running here. ${remedy(around.config, 'DATABASE_URL and ENCRYPTION_KEYS')}`,
    );
  }
  const database = await openDatabase({ url: databaseUrl, poolSize: 2 }).catch((error: unknown) => {
    sayIfUnmigrated(error, ROLE_MISSING);
    const what = isFromServer(error) ? 'cannot be used' : 'does not answer';
    throw new CommandError(
      `The database ${what} (${messageOf(error)}). ${remedy(around.config, 'DATABASE_URL')}`,
    );
  });
  const recorded = new Set<News>();
  let gateway: CloudApiGateway | undefined;
  try {
    const keyring = createKeyring(encryptionKeys);
    if (!withAnyKeys) await refuseOtherKeys({ database, keyring });
    const clock = await databaseClock(database.system);
    return await work({
      ...around,
      database,
      clock,
      keyring,
      whatsapp: () => {
        gateway ??= createCloudApiGateway(whatsappOf(around));
        return gateway;
      },
      contextFor: async (given) => {
        const organizationId = given ?? around.run?.demo?.workspaceId;
        if (!organizationId) throw new CommandError('Say which workspace: --workspace org_…');
        await refuseUnknown(database, organizationId);
        // The relay finds what else a command recorded at its next poll.
        const parts = { database, wake: (news: News) => void recorded.add(news) };
        const actor = system('wms command line');
        return createContext(parts, { organizationId, actor, now: clock.now() });
      },
      tellOfStops: () => tellOf(recorded, databaseUrl),
    }).finally(() => clock.stop());
  } catch (error) {
    sayIfUnmigrated(error, UNDEFINED_TABLE, UNDEFINED_COLUMN, UNDEFINED_FUNCTION, SCHEMA_MISSING);
    const why = whyNotNow(error);
    if (why) throw new CommandError(`The database cannot do that now (${why}).`);
    throw error;
  } finally {
    await gateway?.close();
    await database.close();
  }
}

function whatsappOf({ config, run }: Surroundings): CloudApiOptions {
  const baseUrl = config.WHATSAPP_API_URL ?? run?.simulatorUrl;
  if (baseUrl) return { baseUrl, version: config.WHATSAPP_API_VERSION };
  throw new CommandError(`No WhatsApp address is known. ${remedy(config, 'WHATSAPP_API_URL')}`);
}

async function tellOf(recorded: ReadonlySet<News>, url: string): Promise<void> {
  const stops = STOPS.filter((news) => recorded.has(news));
  if (stops.length === 0) return;
  const waker = createWaker({ url });
  try {
    await Promise.all(stops.map(waker.wake));
  } finally {
    await waker.close();
  }
}

/** For a connection as a role that there is not. In a statement it is about a value. */
const ROLE_MISSING = '22023';
const SCHEMA_MISSING = '3F000';

function sayIfUnmigrated(error: unknown, ...states: string[]): void {
  if (states.some((state) => isState(error, state)))
    throw new CommandError(`The database is not migrated (${messageOf(error)}). Run: wms migrate`);
}

/** It answered, as with a wrong password; classes 08 and 57 are a connection that failed. */
const isFromServer = (error: unknown): boolean =>
  error instanceof UnfitDatabase ||
  /^(?!08|57)\d[0-9A-Z]{4}$/.test(String((error as { code?: unknown } | null)?.code));

async function refuseUnknown({ system: pool }: Database, organizationId: string): Promise<void> {
  const known = await pool.query('select 1 from workspaces where organization_id = $1', [
    organizationId,
  ]);
  if (known.rowCount === 0) throw new CommandError(`There is no workspace ${organizationId}.`);
}
