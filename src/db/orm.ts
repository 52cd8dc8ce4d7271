import { defineConfig, MikroORM, type Options } from '@mikro-orm/postgresql';
import { ApiKey, ServiceAccount } from '../api-keys/entities.ts';
import { Campaign } from '../campaigns/entities.ts';
import { Member, Team } from '../members/entities.ts';
import { WhatsAppNumber } from '../numbers/entities.ts';
import { WebhookEndpoint } from '../webhooks/entities.ts';
import { Plan, Workspace } from '../workspaces/entities.ts';
import { Client } from './connections/client.ts';
import { dropLostClients } from './connections/lost-clients.ts';
import { parsers } from './connections/parsers.ts';
import { BY_INDEXES, connectionSettings, limitsOf } from './connections/settings.ts';

/** Every entity, listed by hand: nothing is discovered. Hot and partitioned tables have no entities, only SQL. */
const entities = [
  ApiKey,
  Campaign,
  Member,
  Plan,
  ServiceAccount,
  Team,
  WebhookEndpoint,
  WhatsAppNumber,
  Workspace,
];

interface OrmOptions extends Pick<Options, 'extensions' | 'migrations'> {
  readonly role?: string;
  /** Connections. */
  readonly max: number;
  /** The longest time of a statement; 0 for no limit. */
  readonly statementMs?: number;
  /** For connections without a role, as `-c name=value`. */
  readonly settings?: string;
}

/** Opens the ORM on `url`. Each connection assumes `role` when it is created. */
export function openOrm(url: string, options: OrmOptions): Promise<MikroORM> {
  const { role, max, statementMs = 0, settings = '', ...own } = options;
  const { idleTimeoutMillis, ...connection } = connectionSettings(statementMs);
  const config: Options = {
    clientUrl: url,
    entities,
    ...own,
    forceUtcTimezone: true,
    pool: { min: 0, max, idleTimeoutMillis },
    driverOptions: {
      ...connection,
      // Of `clientUrl` the ORM passes on only whom to reach where, and not how: `sslmode` and its files.
      connectionString: url,
      types: parsers,
      onPoolCreated: dropLostClients,
      Client,
      options: role ? `${limitsOf(role, statementMs)} ${BY_INDEXES}` : settings,
    },
  };
  return MikroORM.init(defineConfig(config));
}
